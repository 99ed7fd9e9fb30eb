/*
 * descent.h - the learner of models whose loss has a gradient.
 *
 * A step is a phase: each lane adds the gradient of its rows of the batch, and
 * apply moves the parameters by the optimizer. The validation rows are another
 * phase at the end of each epoch; the best parameters may be kept (descent_best.h).
 *
 * Fixed point: each tensor has a scale 2^e, a pure function of the sums before.
 * A lane's real x becomes the integer round(x 2^e). A lane counts per tensor
 * what does not fit (overflow) and what is not finite; when a sum has overflow,
 * every worker makes the scale coarser and the same step is asked again under
 * the next phase number; non-finite ends the job with the step and its rows.
 * See Demmel and Nguyen, "Fast Reproducible Floating-Point Summation" (2013).
 */
#pragma once

#include "runtime/learn/layers/differentiable.h"
#include "runtime/learn/learner.h"

/* Its subject is a differentiable_open **. Lanes: spec->lanes, or by default one lane for every 16
 * rows of the batch below 32,000 parameters, 64 below a million, 256 above; at least 1, at most
 * spec->lanes_max. */
extern const struct learner_method descent_learner;
