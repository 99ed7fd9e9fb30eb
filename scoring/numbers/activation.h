/*
 * activation.h - what stands between the layers, in training and in scoring.
 *
 * One source for both, so that a model scores as it was trained, and not the C
 * library's functions, which take fused operations where they find them: the
 * same bits on any processor. Exact to a few units of the last place.
 */
#pragma once

#include <stddef.h>

#include "params/terms.h"

/*
 *     elu         z, below 0 e^z - 1
 *     selu        SCALE z, below 0 FACTOR (e^z - 1): Klambauer et al., 2017
 *     leaky_relu  z, below 0 LEAK z
 *     gelu        z times the share of a normal distribution below z
 *     swish       z sigmoid(z), which PyTorch calls silu
 *     softplus    log(1 + e^z)
 *     softsign    z / (1 + |z|)
 */
#define ACTIVATION_LEAK        0.01f
#define ACTIVATION_SELU_SCALE  1.05070098f
#define ACTIVATION_SELU_FACTOR 1.75809934f

/* a = f(a). What is not a number stays so: a diverged network is seen. */
void activation_forward(enum activation activation, float *a, size_t count);
