#include "runtime/data/crossed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort_doubles.h"

static struct crossed_metric *metric_of(struct crossed *crossed, const char *name)
{
    struct crossed_metric *metric;

    for (size_t i = 0; i < crossed->count; i++)
        if (strcmp(crossed->metrics[i].name, name) == 0)
            return &crossed->metrics[i];
    if (crossed->count == CROSSED_METRICS_MAX)
        return NULL;
    metric = &crossed->metrics[crossed->count++];
    snprintf(metric->name, sizeof metric->name, "%s", name);
    for (uint32_t i = 0; i < FOLDS_MAX; i++)
        metric->values[i] = (double)NAN;
    return metric;
}

enum status crossed_put(struct crossed *crossed, uint32_t fold, const char *name, double value,
                        struct error *err)
{
    struct crossed_metric *metric = metric_of(crossed, name);

    if (!metric)
        return fail(err, STATUS_LIMIT, "more than %d metrics", CROSSED_METRICS_MAX);
    metric->values[fold] = value;
    return STATUS_OK;
}

/* Added in the order of the values: which fold has which number does not matter. */
static struct fold_result result_of(const struct crossed_metric *metric, uint32_t count)
{
    struct fold_result result = {.name = metric->name};
    double values[FOLDS_MAX], sum = 0, squares = 0;

    for (uint32_t i = 0; i < count; i++)
        if (!isfinite(metric->values[i]))
            return (struct fold_result){metric->name, (double)NAN, (double)NAN};
    memcpy(values, metric->values, sizeof values);
    sort_doubles(values, count);
    for (uint32_t i = 0; i < count; i++)
        sum += values[i];
    result.mean = sum / count;
    for (uint32_t i = 0; i < count; i++)
        squares += (values[i] - result.mean) * (values[i] - result.mean);
    result.deviation = sqrt(squares / (count - 1));
    return result;
}

struct fold_result crossed_result_at(const struct crossed *crossed, size_t i)
{
    return result_of(&crossed->metrics[i], crossed->folds);
}

struct fold_result crossed_result(const struct crossed *crossed, struct slice name)
{
    for (size_t i = 0; i < crossed->count; i++)
        if (slice_is(name, crossed->metrics[i].name))
            return crossed_result_at(crossed, i);
    return (struct fold_result){"", (double)NAN, (double)NAN};
}
