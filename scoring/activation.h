/*
 * activation.h - what stands between the layers, in training and in scoring.
 *
 * One source for both, so that a model scores as it was trained, and not the C
 * library's functions, which take fused operations where they find them: the
 * same bits on any processor. Exact to a few units of the last place.
 */
#ifndef SCORING_ACTIVATION_H
#define SCORING_ACTIVATION_H

#include <stddef.h>

#include "params/terms.h"

/* a = f(a). What is not a number stays so: a diverged network is seen. */
void activation_forward(enum activation activation, float *a, size_t count);

#endif
