#include "extension/engine/host/metric_rows.h"

#include <math.h>

struct cell metric_cell(double value)
{
    return isfinite(value) ? cell_real(value) : cell_null();
}

void metric_notices(const struct slice *names, size_t count, uint32_t classes,
                    uint64_t unknown_rows, const struct sink *sink)
{
    for (size_t i = 0; i < count; i++)
        if (slice_is(names[i], "AUC") && classes > 2)
            sink_notice(sink, "AUC is NULL: it is measured of two classes, and the model has %u",
                        classes);
    if (unknown_rows > 0)
        sink_notice(sink, "%llu %s a label that the model has not learned, and %s as wrong",
                    (unsigned long long)unknown_rows, unknown_rows == 1 ? "row has" : "rows have",
                    unknown_rows == 1 ? "counts" : "count");
}
