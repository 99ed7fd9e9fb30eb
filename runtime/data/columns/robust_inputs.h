/*
 * robust_inputs.h - columns of numbers whose deviation is that of a few rows far from the others.
 *
 * A code such as -999, or one huge value, makes the deviation so large that all other values of the
 * column are nearly equal once they are divided by it, and neither a network nor a linear model can
 * tell them apart. What becomes of them depends on the kind of model (scoring/kind.h):
 *
 *     a code, which many rows have   is read as missing, and the others scale the column, unless
 *                                    COLUMN NUMERIC keeps it (spec_input.keeps_codes)
 *     other far values               do not scale the column, which the range of its middle half
 *                                    does, and count as ROBUST_FAR of these from its middle. A
 *                                    linear model does so only where they are few (FEW_FAR_OF)
 *                                    and COLUMN NUMERIC does not keep them: a line goes on
 *
 * A kind that takes numbers as they are may have a notice of a few far ones (FAR_TOLD). So has each
 * regression that learns by squared errors, of labels.
 *
 * The transform keeps what was decided, so that scoring does the same. The middle half and the code
 * are those of a sample of the training rows (column_sample.h), the deviation that of all of them.
 */
#pragma once

#include "runtime/data/dataset/dataset.h"
#include "runtime/data/spool/column_sample.h"

#define ROBUST_DOMINATED                                                                           \
    4.0 /* times the robust deviation, which is scaled as that of a normal                         \
           distribution: from there on the column's own is not used */
#define ROBUST_UNCUT                                                                               \
    64.0 /* deviations that none of COLUMN_SAMPLE_ROWS numbers can be from their mean: where a     \
            code is left out, the deviation of the sample scales a linear model's column, and what \
            the sample has not seen counts as no farther than this */

#define ROBUST_LABELS_LEAST 1e-150 /* squares of smaller labels lose digits, or are 0 */
#define ROBUST_LABELS_FAR   1000.0 /* times as wide as the middle half are all labels */

/* Changes the inputs of the transform that need it, and adds a notice for each. columns: of the
 * inputs, in their order. NO_MEMORY. */
enum status robust_inputs(const struct sampled_column *columns, const struct jobspec *spec,
                          struct dataset *dataset, struct error *err);
