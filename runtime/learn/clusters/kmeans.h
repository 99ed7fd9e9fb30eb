/*
 * kmeans.h - the learner of clusters: k-means++ (Arthur and Vassilvitskii, 2007) and
 * Lloyd's iterations, some runs of both, of which the one of least inertia is kept.
 *
 *     WEIGHTS --> PICK --> ... one pair a cluster ... --> ASSIGN --> ASSIGN ... --> next run
 *                                                                               or DONE
 *
 * Every phase sums integers alone, so no scale is needed and no lane leaves a trace:
 *
 *     WEIGHTS   of each lane, its rows' squared distances to the nearest center so far,
 *               in units of 2^-16. All workers draw the same point of the total from the seed:
 *               it lies in one lane.
 *     PICK      that lane finds the row and adds the bits of its inputs; the others add 0.
 *     ASSIGN    of each cluster, how many rows are nearest to it, and the sums of their inputs
 *               in units of 2^-exponent; and the inertia.
 *
 * Rows are taken in the data set's order of epoch 0, a function of the set of rows.
 */
#pragma once

#include "runtime/learn/learner.h"

/* INVALID for more clusters than rows. */
extern const struct learner_method kmeans_learner;
