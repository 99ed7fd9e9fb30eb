/*
 * bayes.h - the learner of naive Bayes.
 *
 *     COUNT --> SPREAD --> DONE
 *
 *     COUNT    of each class its weight, and of each number the weight of the rows that have it and
 *              its sum; of each word its weight
 *     SPREAD   of each class and number the squares about the mean of the class
 */
#pragma once

#include "runtime/learn/sums/row_sums.h"

/* LIMIT for more bytes than a worker has. */
extern const struct row_sums_method bayes_method;
