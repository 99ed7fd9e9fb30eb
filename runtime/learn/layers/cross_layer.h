/*
 * cross_layer.h - one layer of a cross network, whose inputs x0 (n, width) each layer multiplies by
 * what it makes of the layer before, and back.
 *
 *     by a vector (Wang et al., 2017)    next = x0 * (x . w) + b + x
 *     by a matrix (Wang et al., 2021)    next = x0 * (x W + b) + x
 */
#pragma once

#include "arithmetic/affine.h"

struct cross_layer {
    bool by_matrix;
    /* rows, width: width, 1 by a vector; width, width by a matrix. The bias has `width` numbers in
     * both cases. */
    struct affine map;
    uint32_t width;
};

/* inner: (n) by a vector, (n, width) by a matrix: the parenthesis, for the way back. */
void cross_layer_forward(const struct cross_layer *op, const float *parameters, size_t n,
                         const float *x0, const float *x, float *inner, float *next);
/* delta (n, width): of next; it becomes that of x. dx0 += that of x0. room (2n, width) by a matrix.
 * Gradients of weights and bias start from zeros where is_first. */
void cross_layer_backward(const struct cross_layer *op, const float *parameters,
                          const float *transposed, size_t n, const float *x0, const float *x,
                          const float *inner, bool is_first, float *room, float *delta, float *dx0,
                          float *gradient);
