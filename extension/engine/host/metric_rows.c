#include "extension/engine/host/metric_rows.h"

#include <math.h>

#include "scoring/metrics.h"

struct cell metric_cell(double value)
{
    return isfinite(value) ? cell_real(value) : cell_null();
}

void metric_notices(const struct slice *names, size_t count, uint32_t classes, bool are_too_many,
                    const struct sink *sink)
{
    enum metric metric;

    for (size_t i = 0; i < count; i++) {
        if (!metric_find(names[i], &metric) || !metric_ranks(metric) || classes <= 2)
            continue;
        if (classes > RANKED_CLASSES_MAX)
            sink_notice(sink,
                        "%s is NULL: it is measured of up to %d classes, and the model has %u",
                        metric_name(metric), RANKED_CLASSES_MAX, classes);
        else if (are_too_many)
            sink_notice(sink, "%s is NULL: of %u classes it is measured on up to %zu rows",
                        metric_name(metric), classes, RANKED_SCORES_MAX / classes);
    }
}

void unknown_label_notice(uint64_t rows, const struct sink *sink)
{
    if (rows > 0)
        sink_notice(sink, "%llu %s a label that the model has not learned, and %s as wrong",
                    (unsigned long long)rows, rows == 1 ? "row has" : "rows have",
                    rows == 1 ? "counts" : "count");
}
