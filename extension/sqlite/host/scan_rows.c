#include "extension/sqlite/host/scan_rows.h"

#include <math.h>
#include <stdlib.h>

#include "extension/sqlite/api/sql.h"
#include "runtime/data/spool/spool_writer.h"

/* Takes the number of a numeric column from the value, NaN for NULL, and counts the cell where
 * cells are counted, unless it is a real. False for a value that needs a closer look. */
static bool take_real(sqlite3_value *value, struct cell_counts *counts, double *real)
{
    switch (sqlite3_value_type(value)) {
    case SQLITE_FLOAT:
        *real = sqlite3_value_double(value);
        return isfinite(*real);
    case SQLITE_INTEGER:
        if (counts && counts->counts_wholes)
            return false;
        if (counts)
            counts->integers++;
        *real = (double)sqlite3_value_int64(value);
        return true;
    case SQLITE_NULL:
        if (counts)
            counts->nulls++;
        *real = NAN;
        return true;
    default:
        return false;
    }
}

static struct cell_counts *counts_of(struct cell_census *census, size_t number)
{
    return census ? &census->columns[number] : NULL;
}

/* The cell of column i, which is in no run of reals. */
static enum status put_alone(struct scan_rows *rows, size_t i, sqlite3_value *value)
{
    const struct scan *scan = rows->scan;
    struct cell cell;

    if (!spool_writer_census(rows->writer) && scan->types[i] == SPOOL_INTEGER &&
        !scan->spooled[i].ids && sqlite3_value_type(value) == SQLITE_INTEGER)
        return spool_put_integer(rows->writer, sqlite3_value_int64(value), &rows->error);
    sql_value(value, &cell);
    return scan->put(scan->self, i, &cell, rows->writer, &rows->error);
}

/* Spooled ones, and behind them those that are counted alone. */
static size_t cells_of(const struct scan *scan)
{
    return scan->order.counted ? scan->order.counted : scan->count;
}

static enum status count_alone(struct scan_rows *rows, size_t i, sqlite3_value *value)
{
    struct cell cell;

    sql_value(value, &cell);
    return cell_count(spool_writer_census(rows->writer), (uint32_t)i, &cell, &rows->error);
}

static enum status put_cells(struct scan_rows *rows, sqlite3_value **values)
{
    struct cell_census *census = spool_writer_census(rows->writer);
    const struct scan *scan = rows->scan;
    size_t i = 0;

    while (i < scan->count) {
        size_t run = 0;
        while (i + run < scan->count && scan->types[i + run] == SPOOL_REAL &&
               take_real(values[i + run], counts_of(census, i + run), &rows->reals[run]))
            run++;
        TRY(spool_put_reals(rows->writer, rows->reals, run, &rows->error));
        i += run;
        if (i < scan->count) {
            TRY(put_alone(rows, i, values[i]));
            i++;
        }
    }
    for (; i < cells_of(scan); i++)
        TRY(count_alone(rows, i, values[i]));
    return spool_end_row(rows->writer, &rows->error);
}

/* The values are the rowid and then the scan's columns. */
static enum status put_row(struct scan_rows *rows, sqlite3_value **values)
{
    rows->at = sqlite3_value_int64(values[0]);
    rows->count++;
    return put_cells(rows, values + 1);
}

/* Once the first row of a call was put no more than `most` are. */
static bool is_over(const struct scan_rows *rows)
{
    return rows->count == rows->most || atomic_load_explicit(rows->stop, memory_order_relaxed);
}

/* An error of a function ends the statement. */
static void take_row(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct scan_rows *rows = sqlite3_user_data(context);

    (void)count;
    if (rows->status == STATUS_OK && !is_over(rows))
        rows->status = put_row(rows, values);
    if (rows->status != STATUS_OK || is_over(rows))
        sqlite3_result_error(context, "stopped", -1);
}

static void took_rows(sqlite3_context *context)
{
    sqlite3_result_null(context);
}

static enum status step_rows(struct scan_rows *rows)
{
    bool has_row = true;

    while (!is_over(rows)) {
        TRY(sql_step(rows->statement, &has_row, &rows->error));
        if (!has_row)
            return STATUS_OK;
        rows->values[0] = sqlite3_column_value(rows->statement, 0);
        for (size_t i = 0; i < cells_of(rows->scan); i++)
            rows->values[i + 1] = sqlite3_column_value(rows->statement, rows->scan->columns[i] + 1);
        TRY(put_row(rows, rows->values));
    }
    return STATUS_OK;
}

/* One row, of the aggregate, comes when all of the table's were taken. */
static enum status aggregate_rows(struct scan_rows *rows)
{
    struct error reason;
    bool has_row;
    enum status status = sql_step(rows->statement, &has_row, &reason);

    if (status == STATUS_OK || rows->status != STATUS_OK || is_over(rows))
        return rows->status;
    rows->error = reason;
    return status;
}

enum status scan_rows_put(struct scan_rows *rows, int64_t first, int64_t last, uint64_t most,
                          struct error *err)
{
    rows->count = 0;
    rows->most = most;
    sqlite3_bind_int64(rows->statement, 1, first);
    sqlite3_bind_int64(rows->statement, 2, last);
    rows->status = rows->is_stepped ? step_rows(rows) : aggregate_rows(rows);
    sqlite3_reset(rows->statement);
    if (rows->status != STATUS_OK)
        *err = rows->error;
    return rows->status;
}

static void append_select(struct text *sql, const struct plain_scan *plain, const char *rowid)
{
    text_printf(sql, "SELECT %s, ", rowid);
    text_append(sql, plain->columns);
    text_append_string(sql, " FROM ");
    sql_append_table(sql, SLICE("main"), plain->table);
    /* By rowid alone: an index would give the rows in another order. */
    text_printf(sql, " NOT INDEXED WHERE %s BETWEEN ?1 AND ?2", rowid);
    if (plain->where.size > 0) { /* which may end in a comment */
        text_append_string(sql, " AND (");
        text_append(sql, plain->where);
        text_append_string(sql, "\n)");
    }
}

/* Columns are numbered, the rowid as 0, so that it does not matter how they are called. */
static void append_aggregate(struct text *sql, const struct scan *scan,
                             const struct plain_scan *plain, const char *rowid, int column_count)
{
    text_append_string(sql, "WITH cells(c0");
    for (int i = 1; i < column_count; i++)
        text_printf(sql, ", c%d", i);
    text_append_string(sql, ") AS (");
    append_select(sql, plain, rowid);
    text_append_string(sql, ") SELECT totrain_take_row(c0");
    for (size_t i = 0; i < cells_of(scan); i++)
        text_printf(sql, ", c%d", scan->columns[i] + 1);
    text_append_string(sql, ") FROM cells");
}

static bool prepare(sqlite3 *db, struct text *sql, sqlite3_stmt **statement)
{
    struct error ignored;
    bool is_prepared = sql_prepare_text(db, sql, statement, &ignored) == STATUS_OK;

    text_deinit(sql);
    return is_prepared;
}

static bool prepare_stepped(struct scan_rows *rows, const struct plain_scan *plain,
                            const char *rowid)
{
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    append_select(&sql, plain, rowid);
    if (!prepare(rows->db, &sql, &rows->statement))
        return false;
    for (size_t i = 0; i < cells_of(rows->scan); i++)
        if (rows->scan->columns[i] + 1 >= sqlite3_column_count(rows->statement))
            return false;
    return true;
}

static bool prepare_aggregate(struct scan_rows *rows, const struct plain_scan *plain,
                              const char *rowid)
{
    const int column_count = sqlite3_column_count(rows->statement);
    struct text sql;

    sqlite3_finalize(rows->statement);
    rows->statement = NULL;
    if (sqlite3_create_function_v2(rows->db, "totrain_take_row", -1,
                                   SQLITE_UTF8 | SQLITE_DIRECTONLY, rows, NULL, take_row, took_rows,
                                   NULL) != SQLITE_OK)
        return false;
    text_init(&sql, TEXT_MAXIMUM);
    append_aggregate(&sql, rows->scan, plain, rowid, column_count);
    return prepare(rows->db, &sql, &rows->statement);
}

bool scan_rows_begin(struct scan_rows *rows, sqlite3 *db, const struct scan *scan,
                     const struct plain_scan *plain, const char *rowid)
{
    const int arguments = sqlite3_limit(db, SQLITE_LIMIT_FUNCTION_ARG, -1);

    *rows = (struct scan_rows){.db = db, .scan = scan};
    rows->is_stepped = arguments < 0 || cells_of(scan) + 1 > (size_t)arguments;
    rows->reals = calloc(scan->count, sizeof *rows->reals);
    rows->values = calloc(cells_of(scan) + 1, sizeof *rows->values);
    if (!rows->reals || !rows->values || !prepare_stepped(rows, plain, rowid))
        return false;
    return rows->is_stepped || prepare_aggregate(rows, plain, rowid);
}

void scan_rows_end(struct scan_rows *rows)
{
    sqlite3_finalize(rows->statement);
    free(rows->values);
    free(rows->reals);
}
