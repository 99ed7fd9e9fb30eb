/*
 * isolation.h - the learner of isolation forests.
 *
 *     GATHER --> GATHER ... [--> HIGH --> LOW] --> DONE
 *
 *     GATHER   the rows of the samples of some trees, each value added to zeros at its own place:
 *              with the totals every worker has the samples, and grows the same trees
 *              (isolation_tree.h). The rows of a sample are drawn by their numbers in the order of
 *              all training rows, without repetition.
 *     HIGH     with a share of outliers (contamination): how many rows have each value of the upper
 *              16 bits of their score
 *     LOW      of the two values that the share lies between, how many rows have each value of the
 *              lower 16 bits: the threshold is that of numpy's percentile, exactly
 */
#pragma once

#include "runtime/learn/learner.h"

/* INVALID for fewer than 2 rows; LIMIT for samples, forests or more bytes than there may be. */
extern const struct learner_method isolation_learner;
