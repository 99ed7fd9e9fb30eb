/*
 * scorecard.h - the learner of score cards.
 *
 *     COUNT --> ROUND --> ROUND --> ... --> DONE
 *
 *     COUNT   of each bin the rows that are bad, the positive class, and good: their weights of
 *             evidence follow
 *     ROUND   log loss of bad by the weights of evidence of each row's bins, an input each, with
 *             gradient and second derivatives: a step of Newton follows (newton_steps.h)
 */
#pragma once

#include "runtime/learn/sums/row_sums.h"

/* INVALID for more than two classes, LIMIT for more bins or inputs than a card has, or more bytes
 * than a worker has. DIVERGED in the end where the steps lead nowhere. */
extern const struct row_sums_method scorecard_method;
