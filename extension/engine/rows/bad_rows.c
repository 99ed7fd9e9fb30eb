#include "extension/engine/rows/bad_rows.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cell_bytes.h"
#include "codegen/lower_predict.h"
#include "planner/plan/plan.h"

/* ----- the table ----- */

/* The statement does not name this table: it is replaced only where an earlier
 * statement made it. */
static struct table_target quarantine_target(const struct plan *plan)
{
    return (struct table_target){.schema = plan_written_schema(plan),
                                 .name = plan->quarantine_table,
                                 .kind = TARGET_BAD_ROWS};
}

/* The host keeps the rows of one SELECT, so validation.select is refused. */
static enum status check_selects(const struct host *host, const struct plan *plan,
                                 struct error *err)
{
    if (!host->kept_rows || plan->kind != STATEMENT_TRAIN || plan->validation_select.size == 0)
        return STATUS_OK;
    fail(err, STATUS_UNSUPPORTED,
         "validation.select and rows that are put aside are not supported together here yet");
    return error_hint(err, "train.bad_rows = 'skip' leaves bad rows out of both.");
}

enum status quarantine_check(const struct host *host, const struct plan *plan, struct error *err)
{
    const struct table_target target = quarantine_target(plan);

    if (target.name.size == 0)
        return STATUS_OK;
    TRY(check_selects(host, plan, err));
    return host->tables->check_target(host->self, &target, err);
}

/* ----- the rows ----- */

void bad_rows_init(struct bad_rows *bad, const struct host *host, const struct plan *plan)
{
    *bad = (struct bad_rows){.host = host,
                             .plan = plan,
                             .by_number = plan->quarantine_table.size > 0 && host->kept_rows};
    text_init(&bad->kept, BAD_ROWS_BYTES_MAX);
}

void bad_rows_deinit(struct bad_rows *bad)
{
    struct error ignored;

    if (bad->is_kept)
        bad->host->kept_rows->forget(bad->host->self, &ignored);
    text_deinit(&bad->kept);
}

static enum status keep(struct bad_rows *bad, struct slice select, struct error *err)
{
    TRY(bad->host->kept_rows->keep(bad->host->self, select, err));
    bad->is_kept = true;
    return STATUS_OK;
}

enum status bad_rows_query(struct bad_rows *bad, const struct sink *sink, struct error *err)
{
    const struct host *host = bad->host;
    enum status status;
    struct text sql;

    if (!bad->by_number)
        return host->rows->query(host->self, bad->plan->select, sink, err);
    TRY(keep(bad, bad->plan->select, err));
    text_init(&sql, TEXT_MAXIMUM);
    status = lower_kept(bad->plan, &sql, err);
    if (status == STATUS_OK)
        status = host->rows->query(host->self, text_slice(&sql), sink, err);
    text_deinit(&sql);
    return status;
}

/* Where all rows were good, and read in no order: a table of their columns. */
static enum status keep_nothing(struct bad_rows *bad, struct error *err)
{
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    text_append_string(&sql, "SELECT * FROM (");
    text_append(&sql, bad->plan->select);
    text_append_string(&sql, "\n) AS q LIMIT 0");
    status = sql.failed ? fail_no_memory(err) : keep(bad, text_slice(&sql), err);
    text_deinit(&sql);
    return status;
}

/* Puts the row as the SELECT gave it, or the number that the host knows it by. */
static void put_row(struct bad_rows *bad, uint64_t row, const struct cell *cells, size_t count,
                    const int *columns)
{
    const struct cell none = cell_null(), number = cell_integer((int64_t)row);

    if (bad->by_number)
        cell_put(&bad->kept, &number);
    for (size_t i = 0; i < bad->plan->query.count && !bad->by_number; i++) {
        const int column = columns ? columns[i] : (int)i;

        cell_put(&bad->kept, column >= 0 && (size_t)column < count ? &cells[column] : &none);
    }
}

enum status bad_rows_add(struct bad_rows *bad, uint64_t row, const struct cell *cells, size_t count,
                         const int *columns, const struct error *why, struct error *err)
{
    const struct plan *plan = bad->plan;
    const struct cell reason = cell_string(why->message);

    if (bad->count++ == 0)
        snprintf(bad->first, sizeof bad->first, "%.250s", why->message);
    if (plan->bad_rows != BAD_ROWS_QUARANTINE)
        return STATUS_OK;
    put_row(bad, row, cells, count, columns);
    cell_put(&bad->kept, &reason);
    if (!bad->kept.failed)
        return STATUS_OK;
    fail(err, STATUS_LIMIT, "%llu rows are bad, more than %zu bytes",
         (unsigned long long)bad->count, BAD_ROWS_BYTES_MAX);
    return error_hint(err, "The first: %.200s.", bad->first);
}

static enum status put_rows(void *context, const struct fill_sink *sink, struct error *err)
{
    const struct bad_rows *bad = context;
    const size_t count = (bad->by_number ? 1 : bad->plan->query.count) + 1;
    struct byte_reader reader = byte_reader_over(text_slice(&bad->kept));
    struct cell *cells = calloc(count, sizeof *cells);
    enum status status = cells ? STATUS_OK : fail_no_memory(err);

    while (status == STATUS_OK && !reader_is_done(&reader)) {
        for (size_t i = 0; i < count; i++)
            cell_read(&reader, &cells[i]);
        status = sink->put(sink->self, 0, cells, count, err);
    }
    free(cells);
    return status;
}

static enum status fill_quarantine(struct bad_rows *bad, struct error *err)
{
    const struct host *host = bad->host;
    const struct plan *plan = bad->plan;
    struct text create;
    enum status status;

    if (bad->by_number && !bad->is_kept)
        TRY(keep_nothing(bad, err));
    text_init(&create, TEXT_MAXIMUM);
    status = lower_quarantine_table(plan, &create, err);
    if (status == STATUS_OK) {
        struct fill fill = {.target = quarantine_target(plan), .create = text_slice(&create)};

        status = host->tables->fill_rows(host->self, &fill, 1, put_rows, bad, err);
        bad->is_kept = bad->is_kept && status != STATUS_OK;
    }
    text_deinit(&create);
    return status;
}

enum status bad_rows_write(struct bad_rows *bad, const struct sink *sink, struct error *err)
{
    const struct plan *plan = bad->plan;

    if (plan->quarantine_table.size > 0)
        TRY(fill_quarantine(bad, err));
    if (bad->count > 0 && plan->quarantine_table.size > 0)
        sink_notice(sink, "%llu bad %s into %.*s; the first: %s", (unsigned long long)bad->count,
                    bad->count == 1 ? "row goes" : "rows go", SLICE_FORMAT(plan->quarantine_table),
                    bad->first);
    else if (bad->count > 0)
        sink_notice(sink, "%llu bad %s left out; the first: %s", (unsigned long long)bad->count,
                    bad->count == 1 ? "row is" : "rows are", bad->first);
    return STATUS_OK;
}
