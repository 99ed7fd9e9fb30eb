#include "extension/sqlite/host/each_row.h"

#include <stdlib.h>

#include "extension/sqlite/api/python_signals.h"
#include "extension/sqlite/api/sql.h"

#define TAKER_TYPE "totrain_taker" /* type of the pointer in ?1 */

struct taker {
    const struct sink *sink;
    struct cell *cells; /* (columns) */
    enum status status; /* status of the rows so far, and why */
    struct error error;
};

/* An error of a function ends the statement. */
static void take_row(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct taker *taker = count > 0 ? sqlite3_value_pointer(values[0], TAKER_TYPE) : NULL;

    if (!taker) {
        sqlite3_result_error(context, "totrain_each_row is not for statements of your own", -1);
        return;
    }
    for (int i = 1; i < count; i++)
        sql_value(values[i], &taker->cells[i - 1]);
    taker->status = python_signals_stop()
                        ? fail(&taker->error, STATUS_INTERRUPTED, "interrupted")
                        : sink_row(taker->sink, taker->cells, (size_t)count - 1, &taker->error);
    if (taker->status != STATUS_OK)
        sqlite3_result_error(context, "stopped", -1);
}

static void took_rows(sqlite3_context *context)
{
    sqlite3_result_null(context);
}

enum status each_row_register(sqlite3 *db, struct error *err)
{
    const int code =
        sqlite3_create_function_v2(db, "totrain_each_row", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                   NULL, NULL, take_row, took_rows, NULL);

    return code == SQLITE_OK ? STATUS_OK : sql_fail(db, code, err);
}

/* Columns are numbered, so that it does not matter how they are called. The
 * line's end closes a comment at the SELECT's end. */
static void append_aggregate(struct text *sql, const char *select, int count)
{
    text_append_string(sql, "WITH totrain_cells(");
    for (int i = 0; i < count; i++)
        text_printf(sql, "%sc%d", i ? ", " : "", i);
    text_append_string(sql, ") AS (");
    text_append(sql, slice_of(select));
    text_append_string(sql, "\n) SELECT totrain_each_row(?1");
    for (int i = 0; i < count; i++)
        text_printf(sql, ", c%d", i);
    text_append_string(sql, ") FROM totrain_cells");
}

static sqlite3_stmt *prepare_aggregate(sqlite3_stmt *select)
{
    sqlite3 *db = sqlite3_db_handle(select);
    const int count = sqlite3_column_count(select);
    sqlite3_stmt *statement = NULL;
    struct error ignored;
    struct text sql;

    if (count + 1 > sqlite3_limit(db, SQLITE_LIMIT_FUNCTION_ARG, -1))
        return NULL;
    text_init(&sql, TEXT_MAXIMUM);
    append_aggregate(&sql, sqlite3_sql(select), count);
    if (sql_prepare_text(db, &sql, &statement, &ignored) != STATUS_OK)
        statement = NULL;
    text_deinit(&sql);
    return statement;
}

static enum status run(sqlite3_stmt *statement, struct taker *taker, struct error *err)
{
    enum status status;

    if (sqlite3_bind_pointer(statement, 1, taker, TAKER_TYPE, NULL) != SQLITE_OK)
        return fail_no_memory(err);
    status = sql_step_through(statement, err);
    if (taker->status != STATUS_OK)
        *err = taker->error;
    return taker->status != STATUS_OK ? taker->status : status;
}

bool each_row(sqlite3_stmt *select, const struct sink *sink, enum status *status, struct error *err)
{
    sqlite3_stmt *statement = prepare_aggregate(select);
    struct taker taker = {.sink = sink};

    if (!statement)
        return false;
    taker.cells = calloc((size_t)sqlite3_column_count(select) + 1, sizeof *taker.cells);
    *status = taker.cells ? run(statement, &taker, err) : fail_no_memory(err);
    sqlite3_finalize(statement);
    free(taker.cells);
    return true;
}
