/*
 * regression.h - the learner of least squares and logistic regression with standard errors.
 *
 *     START --> ROUND --> ROUND --> ... --> DONE
 *
 *     START   the sums of the rows' weights, and of their labels: where intercepts begin.
 *     ROUND   loss, gradient and second derivatives by all coefficients (newton_lanes.h). A step of
 *             Newton follows from them; where the loss has grown, half of the step before is taken
 *             back instead. The last round is the one whose step would move no coefficient by more
 *             than 1e-8 of its standard error: it gives the standard errors, and moves nothing.
 *
 * Columns are taken in this order: intercept, numbers, words, of a category the most frequent word
 * last. One that follows from those before is left out (symmetric_inverse.h): so of each category,
 * where all rows have a word of it, the most frequent word is what the others compare with.
 */
#pragma once

#include "runtime/learn/sums/row_sums.h"

/* LIMIT for more coefficients than REGRESSION_COLUMNS_MAX, or more bytes than a worker has. FAILED
 * in the end where the steps lead nowhere, as where the classes are separated perfectly. */
extern const struct row_sums_method regression_method;
