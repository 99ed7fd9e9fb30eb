/*
 * descent_clip.h - gradients that are cut before they move the parameters.
 *
 * With clip_value c each element becomes at most c and at least -c; with clip_norm n all are then
 * multiplied by n / |g| where |g|, the root of the sum of squares over all tensors, is greater. It
 * is the data's gradient, of the mean loss of the step's rows: penalties are added afterwards, as
 * with PyTorch's clip_grad_norm_ before a step with weight_decay.
 *
 * The norm is computed from the totals of a step, in double, in the order of the totals: everybody
 * gets the same bits. Rows of a table that the step does not touch have no gradient and count as 0.
 */
#pragma once

#include "runtime/learn/descent/descent_parts.h"

enum status descent_clip_init(struct descent *descent, struct error *err);
void descent_clip_deinit(struct descent *descent);

/* The gradient of the step, laid out as the totals' reals: these where nothing is cut. */
const float *descent_clip(struct descent *descent, const struct phase_totals *totals);
