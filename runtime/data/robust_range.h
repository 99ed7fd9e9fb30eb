/*
 * robust_range.h - columns of numbers whose deviation is that of a few rows far from the others.
 *
 * A code such as -999, or one huge value, makes the deviation so large that all other values of the
 * column are nearly equal once they are divided by it, and a network cannot tell them apart. Such a
 * column is scaled by the range of its middle half instead, and cut ROBUST_LIMIT of these from its
 * middle; the transform keeps both, so that scoring does the same.
 *
 * The quartiles are those of the first ROBUST_ROWS rows of the job's sample of training rows, which
 * is a function of the set of rows and the seed; where the rows do not lie by key, those of rows at
 * equal distances in the order of the SELECT. The deviation is that of all rows.
 */
#ifndef RUNTIME_DATA_ROBUST_RANGE_H
#define RUNTIME_DATA_ROBUST_RANGE_H

#include "runtime/data/dataset.h"

#define ROBUST_ROWS     4096 /* at most; of fewer than ROBUST_ROWS_MIN nothing is said */
#define ROBUST_ROWS_MIN 20
#define ROBUST_LIMIT    5.0f /* deviations from the middle beyond which a value is cut */
#define ROBUST_DOMINATED                                                                           \
    4.0 /* times the robust deviation, which is scaled as that of a normal                         \
           distribution: from there on the column's own is not used */

/* What the middle of some numbers says of all of them. */
struct robust_range {
    double middle, deviation; /* the median; of a normal distribution with this middle half */
};

/* Sorts the numbers. False: they are too few, or nearly all the same. */
bool robust_range_of(double *numbers, size_t count, struct robust_range *range);

/* Changes the inputs of the transform that need it, and adds a notice for each. is_used: as
 * dataset_learn has it. */
enum status robust_ranges(const struct spool *spool, const uint8_t *is_used,
                          struct dataset *dataset, struct error *err);

#endif
