/*
 * metric_rows.h - metrics as a result returns them, of training and of scoring alike.
 */
#ifndef EXTENSION_ENGINE_HOST_METRIC_ROWS_H
#define EXTENSION_ENGINE_HOST_METRIC_ROWS_H

#include "base/cell.h"
#include "extension/engine/host/sink.h"

/* Why a metric is NULL. are_too_many: rows, for classes to be ranked. */
void metric_notices(const struct slice *names, size_t count, uint32_t classes, bool are_too_many,
                    const struct sink *sink);
/* Rows of labels that the model has not learned; 0: no notice. */
void unknown_label_notice(uint64_t rows, const struct sink *sink);
/* A metric as a result has it: NULL where it is no number, or none that a double
 * holds, as in what TRAIN returns. */
struct cell metric_cell(double value);

#endif
