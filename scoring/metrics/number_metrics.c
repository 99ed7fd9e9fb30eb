#include "scoring/metrics/number_metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scoring/metrics/ranked_labels.h"
#include "scoring/numbers/elementary.h"

bool number_metrics_have(enum metric metric)
{
    switch (metric) {
    case METRIC_MSE:
    case METRIC_RMSE:
    case METRIC_MAE:
    case METRIC_MAPE:
        return false;
    case METRIC_NDCG:
    case METRIC_MAP_RANKS:
    case METRIC_MRR:
    case METRIC_COX:
    case METRIC_CONCORDANCE:
        return true;
    default:
        return number_loss_is_of(metric);
    }
}

enum metric aim_metric(const struct aim_facts *aim)
{
    switch (aim->aim) {
    case AIM_RANKS:
        return aim->has_two_labels ? METRIC_MAP_RANKS : METRIC_NDCG;
    case AIM_QUANTILES:
        return METRIC_PINBALL;
    case AIM_TIMES:
        return METRIC_AFT;
    case AIM_HAZARDS:
        return METRIC_COX;
    default:
        return METRIC_MSE;
    }
}

static void want(struct number_metrics *metrics, struct measure measure)
{
    if (number_metrics_have(measure.metric) && number_loss_is_of(measure.metric))
        metrics->measures[metrics->count++] = measure;
}

void number_metrics_init(struct number_metrics *metrics, const struct aim_facts *aim,
                         const struct slice *names, size_t count)
{
    struct measure measure;

    *metrics =
        (struct number_metrics){.aim = *aim,
                                .keeps_groups = aim->aim == AIM_RANKS,
                                .keeps_times = aim->aim == AIM_TIMES || aim->aim == AIM_HAZARDS};
    for (size_t i = 0; i < count && metrics->count < METRICS_MAX; i++)
        if (measure_find(names[i], &measure))
            want(metrics, measure);
    want(metrics, (struct measure){.metric = aim_metric(aim)}); /* the loss */
}

void number_metrics_deinit(struct number_metrics *metrics)
{
    free(metrics->grouped);
    free(metrics->labels);
    timed_rows_deinit(&metrics->timed);
    *metrics = (struct number_metrics){.count = 0};
}

/* ---- rows ---- */

static enum status make_room(struct number_metrics *metrics, struct error *err)
{
    const size_t capacity = metrics->grouped_capacity ? 2 * metrics->grouped_capacity : 1024;
    struct grouped_row *rows;
    float *labels;

    if (capacity > GROUPED_ROWS_MAX)
        return fail(err, STATUS_LIMIT, "at most %zu rows of groups can be ranked",
                    GROUPED_ROWS_MAX);
    rows = realloc(metrics->grouped, capacity * sizeof *rows);
    if (!rows)
        return fail_no_memory(err);
    metrics->grouped = rows;
    labels = realloc(metrics->labels, 2 * capacity * sizeof *labels);
    if (!labels)
        return fail_no_memory(err);
    metrics->labels = labels;
    metrics->grouped_capacity = capacity;
    return STATUS_OK;
}

static enum status add_grouped(struct number_metrics *metrics, const struct number_measures *row,
                               struct error *err)
{
    if (metrics->grouped_count == metrics->grouped_capacity)
        TRY(make_room(metrics, err));
    metrics->grouped[metrics->grouped_count++] =
        (struct grouped_row){row->group, row->key, row->row.predicted[0], (float)row->row.label};
    metrics->are_grouped = false;
    return STATUS_OK;
}

/* For hazards the label is the time, negative where the event was not seen, and the prediction is
 * the hazard's ratio. */
static struct timed_row timed_row_of(const struct number_metrics *metrics,
                                     const struct number_row *row)
{
    struct timed_row timed = {fmin(row->label, row->upper), fmax(row->label, row->upper),
                              row->predicted[0]};

    if (metrics->aim.aim == AIM_HAZARDS)
        return (struct timed_row){fabs(row->label), row->label > 0 ? row->label : INFINITY,
                                  -logarithm_double(fmax(row->predicted[0], 1e-300))};
    if (isnan(row->upper))
        timed.upper = INFINITY;
    return timed;
}

enum status number_metrics_add(struct number_metrics *metrics, const struct number_measures *row,
                               struct error *err)
{
    for (size_t i = 0; i < metrics->count; i++)
        metrics->sums[i] += number_loss(metrics->measures[i], &metrics->aim, &row->row);
    metrics->rows++;
    if (metrics->keeps_groups)
        TRY(add_grouped(metrics, row, err));
    return metrics->keeps_times
               ? timed_rows_add(&metrics->timed, timed_row_of(metrics, &row->row), err)
               : STATUS_OK;
}

/* ---- groups ---- */

static int by_rank(const void *a, const void *b)
{
    const struct grouped_row *x = a, *y = b;

    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

static int from_greatest(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x < y) - (x > y);
}

/* The mean over the groups. */
static double grouped_value(struct number_metrics *metrics, struct measure measure)
{
    const size_t count = metrics->grouped_count;
    float *labels = metrics->labels, *best = metrics->labels + metrics->grouped_capacity;
    uint64_t groups = 0;
    double sum = 0;

    if (!metrics->are_grouped && count > 0)
        qsort(metrics->grouped, count, sizeof *metrics->grouped, by_rank);
    metrics->are_grouped = true;
    for (size_t first = 0, end; first < count; first = end, groups++) {
        for (end = first;
             end < count && metrics->grouped[end].group == metrics->grouped[first].group; end++)
            labels[end - first] = best[end - first] = metrics->grouped[end].label;
        qsort(best, end - first, sizeof *best, from_greatest);
        sum += ranked_value(measure, metrics->aim.has_linear_gains, labels, best,
                            (uint32_t)(end - first));
    }
    return groups > 0 ? sum / (double)groups : NAN;
}

double number_metrics_value(struct number_metrics *metrics, struct measure measure)
{
    switch (measure.metric) {
    case METRIC_NDCG:
    case METRIC_MAP_RANKS:
    case METRIC_MRR:
        return grouped_value(metrics, measure);
    case METRIC_COX:
        return timed_rows_cox(&metrics->timed);
    case METRIC_CONCORDANCE:
        return timed_rows_concordance(&metrics->timed);
    default:
        break;
    }
    for (size_t i = 0; i < metrics->count && metrics->rows > 0; i++)
        if (metrics->measures[i].metric == measure.metric && metrics->measures[i].at == measure.at)
            return number_metric(measure.metric, metrics->sums[i] / (double)metrics->rows);
    return NAN;
}
