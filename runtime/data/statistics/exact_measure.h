/*
 * exact_measure.h - what the exact sums of a column come to.
 */
#pragma once

#include "runtime/data/statistics/exact_sum.h"

/*
 * The mean and the scale (population standard deviation; 1 for a constant column and where it
 * rounds to 0), each the exact value rounded once; 0 and 1 of no rows. False where no numbers have
 * such sums: more was taken out than was added, or the bytes were not written by exact_moments_put.
 */
bool exact_moments_measure(const struct exact_moments *moments, double *mean, double *scale);

/* Are all numbers the same one, *value? False of no numbers. */
bool exact_moments_are_constant(const struct exact_moments *moments, double *value);
