/*
 * metric_rows.h - metrics as a result returns them, of training and of scoring alike.
 */
#ifndef EXTENSION_ENGINE_HOST_METRIC_ROWS_H
#define EXTENSION_ENGINE_HOST_METRIC_ROWS_H

#include "base/cell.h"
#include "extension/engine/host/sink.h"

/* What a metric does not say by itself. */
void metric_notices(const struct slice *names, size_t count, uint32_t classes,
                    uint64_t unknown_rows, const struct sink *sink);
/* A metric as a result has it: NULL where it is no number, or none that a double
 * holds, as in what TRAIN returns. */
struct cell metric_cell(double value);

#endif
