#include "extension/engine/score/evaluation.h"

#include "extension/engine/host/metric_rows.h"

struct evaluation_order evaluation_order_of(const struct spec_scoring *scoring)
{
    return (struct evaluation_order){scoring->report, scoring->metrics, scoring->metric_count,
                                     scoring->average};
}

struct metrics_options evaluation_options(const struct evaluation_order *order,
                                          const struct model *model)
{
    return (struct metrics_options){
        .average = order->average,
        .report = order->report,
        .ranks_classes = order->report == REPORT_METRICS &&
                         metrics_rank_classes(model, order->metrics, order->metric_count)};
}

enum status evaluation_columns(const struct evaluation_order *order, struct arena *arena,
                               struct slice **names, size_t *count, struct error *err)
{
    const char *const *columns = report_columns(order->report);
    const size_t most = order->metric_count + 1 + REPORT_COLUMNS;

    *count = 0;
    *names = ARENA_NEW(arena, struct slice, most);
    if (!*names)
        return fail_no_memory(err);
    for (; columns && columns[*count]; ++*count)
        (*names)[*count] = slice_of(columns[*count]);
    if (columns)
        return STATUS_OK;
    (*names)[(*count)++] = SLICE("loss");
    for (size_t i = 0; i < order->metric_count; i++)
        (*names)[(*count)++] = order->metrics[i];
    return STATUS_OK;
}

static enum status collect_metrics(const struct evaluation_order *order, struct metrics *metrics,
                                   struct arena *arena, struct evaluation_rows *rows,
                                   struct error *err)
{
    struct cell *cells = ARENA_NEW(arena, struct cell, order->metric_count + 1);
    enum metric metric;

    if (!cells)
        return fail_no_memory(err);
    cells[0] = metric_cell(metrics_loss(metrics));
    for (size_t i = 0; i < order->metric_count; i++)
        cells[i + 1] = metric_find(order->metrics[i], &metric)
                           ? metric_cell(metrics_value(metrics, metric))
                           : cell_null();
    rows->cells = cells;
    rows->rows = 1;
    return STATUS_OK;
}

enum status evaluation_collect(const struct evaluation_order *order, struct metrics *metrics,
                               struct arena *arena, const struct sink *sink,
                               struct evaluation_rows *rows, struct error *err)
{
    struct report_rows made;

    *rows = (struct evaluation_rows){.rows = 0};
    TRY(evaluation_columns(order, arena, &rows->names, &rows->columns, err));
    if (order->report == REPORT_METRICS) {
        TRY(collect_metrics(order, metrics, arena, rows, err));
    } else {
        TRY(report_make(metrics_report(metrics), arena, &made, err));
        rows->cells = made.cells;
        rows->rows = made.rows;
    }
    if (!sink)
        return STATUS_OK;
    if (order->report == REPORT_METRICS)
        metric_notices(order->metrics, order->metric_count, metrics_classes(metrics),
                       metrics_rank_too_many(metrics), sink);
    unknown_label_notice(metrics_unknown_rows(metrics), sink);
    return STATUS_OK;
}
