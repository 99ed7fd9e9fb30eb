/*
 * dropout.h - units that are left out of a step at random, and back.
 *
 * Inverted (Srivastava et al., 2014): the others are multiplied by a scale that
 * keeps the mean. Keyed by (seed, step, layer, place in the batch, unit), so that
 * lanes leave no trace. Four units share 64 random bits: the rate is a multiple
 * of 2^-16.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct dropout {
    double rate; /* 0: none */
    uint64_t seed;
    uint32_t layer_count;
};

/* Where a chunk's units are: of which layer, and the first row's place in its batch. */
struct dropout_place {
    uint64_t step, position;
    uint32_t layer, width;
};

/* mask (n, width): 0 or the scale; a (n, width) *= mask */
void dropout_forward(const struct dropout *op, const struct dropout_place *place, uint32_t n,
                     float *mask, float *a);
/* delta *= mask, and a = f(z) becomes as it was before dropout, but for what the mask made 0. */
void dropout_backward(const struct dropout *op, const float *mask, size_t count, float *a,
                      float *delta);
