/*
 * newton.h - the learner of linear models by the second order of their loss.
 *
 *     START --> ROUND --> ROUND --> ... --> DONE
 *
 *     START   the sums of the rows' weights, and of their labels: where weights begin.
 *     ROUND   of each output the gradient of the loss and the products of all pairs of columns
 *             (newton_lanes.h). From these every weight moves once, one after the other, without
 *             another look at the rows (newton_solve.h): XGBoost's booster gblinear.
 *
 * Sums become exact totals as row_sums.h has it.
 */
#pragma once

#include "runtime/learn/sums/row_sums.h"

/* LIMIT for more columns than LINEAR_COLUMNS_MAX, words of categories among them, or more bytes
 * than a worker has. */
extern const struct row_sums_method newton_method;
