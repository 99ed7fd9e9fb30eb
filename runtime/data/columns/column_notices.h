/*
 * column_notices.h - what the statistics of the training rows tell the user: columns that tell
 * nothing, words that are not kept, classes that are rare, labels that rather are numbers.
 *
 * From exact counts alone, so that every worker has the same notices whatever the order of rows.
 */
#pragma once

#include "runtime/data/dataset/dataset.h"
#include "runtime/data/spool/column_statistics.h"

/* A class is rare that fewer rows than these have, or a smaller share of them, and less than half
 * of what each would have of equal ones. Where none is, classes of fewer rows are a notice of few
 * rows.
 */
#define RARE_CLASS_ROWS  20
#define RARE_CLASS_SHARE 0.05

/* Makes the list, in the data set's arena, once column_statistics_finish has filled the rest. */
enum status column_notices(const struct column_statistics *statistics, struct dataset *dataset,
                           struct error *err);
