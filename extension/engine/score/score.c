/*
 * SELECT ... TO PREDICT in the session itself, and what TO EVALUATE shares with it.
 */
#include "extension/engine/score/score.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "codegen/lower_predict.h"
#include "extension/engine/host/stored_model.h"
#include "extension/engine/rows/bad_rows.h"
#include "planner/plan/plan.h"
#include "scoring/held_rows.h"
#include "scoring/row_label.h"

double score_seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

enum status score_target_row(struct slice table, uint64_t rows, double started,
                             const struct sink *sink, struct error *err)
{
    double seconds = round((score_seconds_now() - started) * 1000) / 1000;
    struct cell cells[] = {cell_text(table), cell_integer((int64_t)rows), cell_real(seconds)};

    return sink_row(sink, cells, 3, err);
}

enum status score_name_row(uint64_t row, const char *hint, struct error *err)
{
    const struct error without_row = *err;

    if (err->status != STATUS_INVALID)
        return err->status;
    if (strncmp(err->message, "row ", 4) != 0)
        snprintf(err->message, sizeof err->message, "row %llu: %.450s", (unsigned long long)row,
                 without_row.message);
    return err->hint[0] ? err->status : error_hint(err, "%s", hint);
}

enum status score_no_rows(const struct bad_rows *bad, struct error *err)
{
    const bool are_bad = bad && bad->count > 0;

    fail(err, STATUS_INVALID, "the query returns no rows to evaluate");
    return are_bad ? error_hint(err, "All of its rows are bad: %s.", bad->first)
                   : error_hint(err, SELECT_ENDS_EMPTY);
}

bool score_gives_rows(const struct plan *plan)
{
    return plan->kind == STATEMENT_PREDICT && !plan->has_target;
}

enum status predict_columns(const struct plan *plan, struct arena *arena, struct slice **names,
                            size_t *count, struct error *err)
{
    struct slice *name;

    name = *names =
        ARENA_NEW(arena, struct slice,
                  plan->query.count + plan->model.component_count + 1 + plan->extra_output_count);
    if (!name)
        return fail_no_memory(err);
    for (size_t i = 0; i < plan->query.count; i++)
        if ((int)i != plan->label_column)
            *name++ = plan->query.columns[i].name;
    for (uint32_t i = 0; i < plan->model.component_count; i++)
        *name++ = plan->components[i];
    if (plan->model.component_count == 0)
        *name++ = plan->target_column;
    for (size_t i = 0; i < plan->extra_output_count; i++)
        *name++ = plan->extra_outputs[i];
    *count = (size_t)(name - *names);
    return STATUS_OK;
}

enum status predict_query(const struct plan *plan, struct text *sql, struct error *err)
{
    TRY(lower_predict(plan, sql, err));
    return sql->failed ? fail_no_memory(err) : STATUS_OK;
}

void predict_tables_init(struct predict_tables *tables)
{
    text_init(&tables->create, STATEMENT_BYTES_MAX);
    text_init(&tables->quarantine_create, STATEMENT_BYTES_MAX);
}

void predict_tables_deinit(struct predict_tables *tables)
{
    text_deinit(&tables->create);
    text_deinit(&tables->quarantine_create);
}

enum status predict_tables_lower(const struct plan *plan, struct predict_tables *tables,
                                 struct error *err)
{
    TRY(lower_predict_table(plan, &tables->create, err));
    return plan->quarantine_table.size > 0
               ? lower_quarantine_table(plan, &tables->quarantine_create, err)
               : STATUS_OK;
}

/* The SQL that writes the tables of PREDICT. */
struct predict_sql {
    struct predict_tables tables;
    struct text stage, quarantine_select;
};

static enum status predict_sql_lower(const struct plan *plan, struct predict_sql *sql,
                                     struct error *err)
{
    TRY(predict_tables_lower(plan, &sql->tables, err));
    if (plan->quarantine_table.size == 0)
        return STATUS_OK;
    TRY(lower_predict_stage(plan, &sql->stage, err));
    return lower_quarantine(plan, &sql->quarantine_select, err);
}

struct table_target score_target(const struct plan *plan)
{
    return (struct table_target){.schema = plan->target_schema,
                                 .name = plan->target_table,
                                 .kind = plan->kind == STATEMENT_PREDICT ||
                                                 plan->kind == STATEMENT_FORECAST
                                             ? TARGET_PREDICTIONS
                                             : TARGET_METRICS,
                                 .replaces_any = plan->replaces_any};
}

enum status score_check_targets(const struct host *host, const struct plan *plan, struct error *err)
{
    const struct table_target target = score_target(plan);

    if (!plan->has_target)
        return STATUS_OK;
    if (host->tables->check_target(host->self, &target, err) != STATUS_OK)
        return error_place(err, plan->object_position);
    return quarantine_check(host, plan, err);
}

static enum status predict_into(const struct host *host, const struct plan *plan,
                                struct slice select, const struct sink *sink, struct error *err)
{
    const bool has_quarantine = plan->quarantine_table.size > 0;
    double started = score_seconds_now();
    struct predict_sql sql;
    enum status status;

    TRY(score_check_targets(host, plan, err));
    predict_tables_init(&sql.tables);
    text_init(&sql.stage, TEXT_MAXIMUM);
    text_init(&sql.quarantine_select, TEXT_MAXIMUM);
    status = predict_sql_lower(plan, &sql, err);
    if (status == STATUS_OK) {
        struct fill fills[] = {
            {.target = score_target(plan),
             .create = text_slice(&sql.tables.create),
             .select = select},
            {.target = {.schema = plan->target_schema,
                        .name = plan->quarantine_table,
                        .kind = TARGET_BAD_ROWS},
             .create = text_slice(&sql.tables.quarantine_create),
             .select = text_slice(&sql.quarantine_select)},
        };

        fills[0].target.sink = fills[1].target.sink = sink;
        status = host->tables->fill(host->self, text_slice(&sql.stage), fills,
                                    has_quarantine ? 2 : 1, err);
        if (status == STATUS_OK)
            status = score_target_row(plan->target_table, fills[0].rows, started, sink, err);
        if (status == STATUS_OK && has_quarantine)
            status = score_target_row(plan->quarantine_table, fills[1].rows, started, sink, err);
    }
    predict_tables_deinit(&sql.tables);
    text_deinit(&sql.stage);
    text_deinit(&sql.quarantine_select);
    return status;
}

enum status score_put_notices(const struct plan *plan, size_t first, const struct sink *sink,
                              struct error *err)
{
    struct text line;
    bool failed;

    text_init(&line, TEXT_MAXIMUM);
    for (size_t i = first; i < plan->notices->count; i++) {
        text_clear(&line);
        notice_print(&plan->notices->items[i], &line);
        sink_notice(sink, "%s", text_string(&line));
    }
    failed = line.failed;
    text_deinit(&line);
    return failed ? fail_no_memory(err) : STATUS_OK;
}

enum status predict_run(const struct host *host, const struct plan *plan, const struct sink *sink,
                        struct error *err)
{
    struct text sql;
    enum status status;

    text_init(&sql, TEXT_MAXIMUM);
    status = predict_query(plan, &sql, err);
    if (status == STATUS_OK)
        status = host->rows->check_functions(host->self, err);
    if (status == STATUS_OK && plan->has_target)
        status = predict_into(host, plan, text_slice(&sql), sink, err);
    else if (status == STATUS_OK)
        status = host->rows->query(host->self, text_slice(&sql), sink, err);
    text_deinit(&sql);
    return status;
}

enum status row_room_make(const struct plan *plan, struct arena *arena, struct row_room *room,
                          struct error *err)
{
    room->inputs = ARENA_NEW(arena, struct cell, plan->model.input_count + 1);
    room->spread =
        ARENA_NEW(arena, struct cell, plan->query.count + plan->query.vectors.elements + 1);
    return room->inputs && room->spread ? STATUS_OK : fail_no_memory(err);
}

enum status score_take_row(const struct plan *plan, const struct row_room *room, uint64_t row,
                           const struct cell *cells, size_t count, struct scorer *scorer,
                           uint32_t place, struct row_label *label, struct error *err)
{
    if (plan->label_column >= (int)count || count < plan->query.count)
        return fail(err, STATUS_DATABASE, "the query no longer returns the columns it had");
    if (plan->query.vectors.count > 0) {
        TRY(vectors_spread(&plan->query.vectors, cells, room->spread, err));
        cells = room->spread;
    }
    for (size_t i = 0; i < plan->model.input_count; i++)
        room->inputs[i] = plan->model_columns[i] < 0 ? cell_null() : cells[plan->model_columns[i]];
    TRY(scorer_transform(scorer, place, room->inputs, err));
    if (plan->kind == STATEMENT_EVALUATE)
        TRY(scorer_check_number(scorer, place, row, err));
    if (plan->label_column >= 0)
        TRY(row_label_read(scorer->model, plan->label, row, &cells[plan->label_column], label,
                           err));
    if (plan->group_column >= 0)
        TRY(row_group_read(plan->query.columns[plan->group_column].name, row,
                           &cells[plan->group_column], label, err));
    return plan->upper_column < 0
               ? STATUS_OK
               : row_upper_read(scorer->model, plan->query.columns[plan->upper_column].name, row,
                                &cells[plan->upper_column], label, err);
}

struct evaluation_order score_order_of(const struct plan *plan)
{
    return (struct evaluation_order){plan->report,    plan->metrics,  plan->metric_count,
                                     plan->average,   plan->as_means, plan->costs,
                                     plan->bootstrap, plan->notices,  plan_measures_heads(plan)};
}

enum status evaluate_columns(const struct plan *plan, struct arena *arena, struct slice **names,
                             size_t *count, struct error *err)
{
    const struct evaluation_order order = score_order_of(plan);
    struct slice *of_one;

    if (plan->other_count == 0)
        return evaluation_columns(&order, arena, names, count, err);
    TRY(evaluation_columns(&order, arena, &of_one, count, err));
    *names = ARENA_NEW(arena, struct slice, *count + 1);
    if (!*names)
        return fail_no_memory(err);
    (*names)[0] = SLICE("model");
    memcpy(*names + 1, of_one, *count * sizeof *of_one);
    ++*count;
    return STATUS_OK;
}

enum status evaluation_put(const struct host *host, const struct plan *plan,
                           const struct evaluation_rows *rows, double started,
                           const struct sink *sink, struct error *err)
{
    if (plan->has_target) {
        struct table_target target = score_target(plan);

        target.sink = sink;
        TRY(host->tables->write_rows(host->self, &target, rows->names, rows->columns, rows->cells,
                                     rows->rows, err));
        return score_target_row(plan->target_table, rows->rows, started, sink, err);
    }
    TRY(sink_columns(sink, rows->names, rows->columns, err));
    for (size_t i = 0; i < rows->rows; i++)
        TRY(sink_row(sink, rows->cells + i * rows->columns, rows->columns, err));
    return STATUS_OK;
}

enum status score_with_model(const struct host *host, const struct plan *plan, struct arena *arena,
                             const struct sink *sink, struct error *err, score_use *use)
{
    struct arena model_arena;
    struct model model;
    enum status status;

    TRY(score_check_targets(host, plan, err));
    arena_init(&model_arena, MODEL_ARENA_MAX);
    status =
        stored_model_load(host, plan->model_schema, plan->model_name, &model_arena, &model, err);
    if (status == STATUS_OK)
        status = use(host, plan, &model, arena, sink, err);
    arena_deinit(&model_arena);
    return status;
}
