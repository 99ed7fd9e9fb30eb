#include "extension/engine/score/evaluation.h"

#include "extension/engine/host/metric_rows.h"
#include "extension/engine/host/notice_rows.h"
#include "scoring/bootstrap.h"
#include "scoring/heads.h"
#include "scoring/metric_notices.h"

struct evaluation_order evaluation_order_of(const struct spec_scoring *scoring)
{
    return (struct evaluation_order){
        scoring->report,       scoring->metrics,
        scoring->metric_count, scoring->average,
        scoring->as_means,     {scoring->false_positive_cost, scoring->false_negative_cost},
        scoring->bootstrap,    NULL,
        scoring->by_head};
}

struct metrics_options evaluation_options(const struct evaluation_order *order,
                                          const struct model *model)
{
    return (struct metrics_options){
        .average = order->average,
        .report = order->report,
        .costs = &order->costs,
        .names = order->metrics,
        .name_count = order->metric_count,
        .as_means = order->as_means,
        .by_head = order->by_head,
        .keeps_rows = order->bootstrap.level > 0,
        .bootstrap = order->bootstrap,
        .ranks_classes = order->report == REPORT_METRICS &&
                         metrics_rank_classes(model, order->metrics, order->metric_count)};
}

/* The metric's column, and those of its bounds. */
static enum status name_metric(const struct evaluation_order *order, size_t i, struct arena *arena,
                               struct slice *names, size_t *count, struct error *err)
{
    static const char *const bounds[] = {"lower", "upper"};

    names[(*count)++] = order->metrics[i];
    for (size_t j = 0; order->bootstrap.level > 0 && j < 2; j++) {
        names[*count] = arena_printf(arena, "%.*s_%s", SLICE_FORMAT(order->metrics[i]), bounds[j]);
        if (!names[(*count)++].data)
            return fail_no_memory(err);
    }
    return STATUS_OK;
}

enum status evaluation_columns(const struct evaluation_order *order, struct arena *arena,
                               struct slice **names, size_t *count, struct error *err)
{
    static const char *const of_heads[] = {"label", "metric", "value", NULL};
    const char *const *columns = order->by_head ? of_heads : report_columns(order->report);
    const size_t most = 3 * order->metric_count + 2 + REPORT_COLUMNS;

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
        TRY(name_metric(order, i, arena, *names, count, err));
    (*names)[(*count)++] = SLICE(NOTICE_ROW);
    return STATUS_OK;
}

/* All in one text: "AUC is NULL: ...; 3 rows have a label ..." */
static enum status collect_notices(const struct notice_list *notices, struct arena *arena,
                                   struct cell *cell, struct error *err)
{
    struct text line;
    struct slice copy;

    text_init(&line, TEXT_MAXIMUM);
    for (size_t i = 0; i < notices->count; i++) {
        text_append_string(&line, i > 0 ? "; " : "");
        notice_print(&notices->items[i], &line);
    }
    copy = line.failed ? (struct slice){NULL, 0} : arena_copy(arena, text_slice(&line));
    text_deinit(&line);
    *cell = cell_text(copy);
    return copy.data ? STATUS_OK : fail_no_memory(err);
}

static struct cell collect_metric(struct metrics *metrics, struct slice name,
                                  struct notice_list *notices)
{
    struct cell cell = cell_null();
    struct measure measure;

    if (!measure_find(name, &measure))
        return cell;
    cell = metric_cell(metrics_measured(metrics, measure));
    if (cell.type == CELL_NULL)
        metric_null_notice(metrics, measure.metric, "", notices);
    return cell;
}

/* The bounds of each metric; without intervals none. */
static enum status collect_bounds(const struct evaluation_order *order, struct metrics *metrics,
                                  const struct stop *stop, struct metric_bounds *bounds,
                                  struct error *err)
{
    struct measure measures[METRICS_MAX];

    if (order->bootstrap.level == 0)
        return STATUS_OK;
    for (size_t i = 0; i < order->metric_count; i++)
        if (!measure_find(order->metrics[i], &measures[i]))
            return fail(err, STATUS_INVALID, "there is no metric \"%.*s\"",
                        SLICE_FORMAT(order->metrics[i]));
    return bootstrap_bounds(metrics_bootstrap(metrics), measures, order->metric_count, stop, bounds,
                            err);
}

static enum status collect_metrics(const struct evaluation_order *order, struct metrics *metrics,
                                   const struct stop *stop, struct notice_list *notices,
                                   struct arena *arena, struct evaluation_rows *rows,
                                   struct error *err)
{
    struct cell *cells = ARENA_NEW(arena, struct cell, 3 * order->metric_count + 2), *cell = cells;
    struct metric_bounds bounds[METRICS_MAX];

    if (!cells)
        return fail_no_memory(err);
    TRY(collect_bounds(order, metrics, stop, bounds, err));
    *cell++ = metric_cell(metrics_loss(metrics));
    for (size_t i = 0; i < order->metric_count; i++) {
        *cell++ = collect_metric(metrics, order->metrics[i], notices);
        if (order->bootstrap.level == 0)
            continue;
        *cell++ = metric_cell(bounds[i].lower);
        *cell++ = metric_cell(bounds[i].upper);
    }
    rows->cells = cells;
    rows->rows = 1;
    return collect_notices(notices, arena, cell, err);
}

/* Rows of such a form have no column for them. */
static void tell_notices(const struct notice_list *notices, const struct sink *sink)
{
    for (size_t i = 0; sink && i < notices->count; i++)
        sink_notice(sink, "%s", notices->items[i].text);
}

static enum status collect_report(struct metrics *metrics, const struct notice_list *notices,
                                  struct arena *arena, const struct sink *sink,
                                  struct evaluation_rows *rows, struct error *err)
{
    struct report_rows made;

    TRY(report_make(metrics_report(metrics), arena, &made, err));
    rows->cells = made.cells;
    rows->rows = made.rows;
    tell_notices(notices, sink);
    return STATUS_OK;
}

/* The loss is that of all labels together. */
static enum status collect_heads(struct metrics *metrics, struct arena *arena,
                                 struct evaluation_rows *rows, struct error *err)
{
    struct head_metrics *heads = metrics_heads(metrics);
    struct cell *cells =
        ARENA_NEW(arena, struct cell, rows->columns * ((size_t)head_metrics_most(heads) + 1));
    struct slice label;
    const char *metric;
    double value;

    if (!cells)
        return fail_no_memory(err);
    rows->cells = cells;
    cells[0] = cell_null();
    cells[1] = cell_text(slice_of(metric_name(METRIC_LOSS)));
    cells[2] = metric_cell(metrics_loss(metrics));
    for (rows->rows = 1;
         head_metrics_value(heads, (uint32_t)rows->rows - 1, &label, &metric, &value);
         rows->rows++) {
        struct cell *row = cells + rows->rows * rows->columns;

        row[0] = cell_text(label);
        row[1] = cell_text(slice_of(metric));
        row[2] = metric_cell(value);
    }
    return STATUS_OK;
}

enum status evaluation_collect(const struct evaluation_order *order, struct metrics *metrics,
                               const struct stop *stop, struct arena *arena,
                               const struct sink *sink, struct evaluation_rows *rows,
                               struct error *err)
{
    struct notice_list *notices = ARENA_NEW(arena, struct notice_list, 1);

    if (!notices)
        return fail_no_memory(err);
    *rows = (struct evaluation_rows){.rows = 0};
    TRY(evaluation_columns(order, arena, &rows->names, &rows->columns, err));
    notice_list_join(notices, order->notices);
    if (order->by_head) {
        tell_notices(notices, sink);
        return collect_heads(metrics, arena, rows, err);
    }
    unknown_label_notice(metrics, notices);
    return order->report == REPORT_METRICS
               ? collect_metrics(order, metrics, stop, notices, arena, rows, err)
               : collect_report(metrics, notices, arena, sink, rows, err);
}
