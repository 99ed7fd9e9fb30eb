/*
 * kernels.h - the arithmetic of networks on row-major matrices of floats, but
 * for the products (products.h).
 *
 * All is elementwise or summed in ascending order: the same bits on any
 * processor. That is why exp, tanh and the losses are ours
 * (scoring/numbers/elementary.h) and not the C library's, which takes fused operations
 * where it finds them.
 *
 * What is not a number stays so, through every kernel: a diverged network is
 * seen in its loss or its gradient.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "scoring/numbers/activation.h"

/* sum (m) += the rows of delta (n,m), in ascending order. */
void rows_sum(const float *delta, size_t n, size_t m, float *sum);

/* Whether activation_backward() of it wants z, as f(z) does not tell the slope. */
bool activation_keeps_sums(enum activation activation);
/* delta *= f'(z) where a = f(z), or z itself where activation_keeps_sums(); f itself is scoring's
 * (scoring/numbers/activation.h). */
void activation_backward(enum activation activation, const float *a, float *delta, size_t count);

/*
 * Losses of n rows: loss (n), and z becomes the gradient dloss/dz. The target
 * is a float for one output and a class for a softmax.
 *     logistic   log(1 + e^-z) of a positive (target 1), log(1 + e^z) of a negative (0)
 *     softmax    -log of the class's share of e^z; (n,m)
 *     squares    (z - target)^2; the gradient is of its half, z - target
 */
void loss_logistic(size_t n, const float *target, float *z, double *loss);
void loss_softmax(size_t n, size_t m, const int32_t *classes, float *z, double *loss);
void loss_squares(size_t n, const float *target, float *z, double *loss);
