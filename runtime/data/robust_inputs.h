/*
 * robust_inputs.h - columns of numbers whose deviation is that of a few rows far from the others.
 *
 * A code such as -999, or one huge value, makes the deviation so large that all other values of the
 * column are nearly equal once they are divided by it, and a network cannot tell them apart. Such a
 * column is scaled by the range of its middle half instead, and cut ROBUST_LIMIT of these from its
 * middle; the transform keeps both, so that scoring does the same.
 *
 * The middle half is that of a sample of the training rows (column_sample.h), the deviation that of
 * all of them.
 */
#ifndef RUNTIME_DATA_ROBUST_INPUTS_H
#define RUNTIME_DATA_ROBUST_INPUTS_H

#include "runtime/data/column_sample.h"
#include "runtime/data/dataset.h"

#define ROBUST_LIMIT 5.0f /* deviations from the middle beyond which a value is cut */
#define ROBUST_DOMINATED                                                                           \
    4.0 /* times the robust deviation, which is scaled as that of a normal                         \
           distribution: from there on the column's own is not used */

/* Changes the inputs of the transform that need it, and adds a notice for each. columns: of the
 * inputs, in their order. */
void robust_inputs(const struct sampled_column *columns, struct dataset *dataset);

#endif
