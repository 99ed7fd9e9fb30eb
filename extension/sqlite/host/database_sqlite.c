#include "extension/sqlite/host/database_sqlite.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cell_values.h"
#include "extension/sqlite/api/python_signals.h"
#include "extension/sqlite/api/sql.h"
#include "extension/sqlite/host/query.h"

/* ----- statements ----- */

/* The place of $1 in a statement, or 0: it does not stand there. */
static int place_of(sqlite3_stmt *statement, size_t parameter)
{
    char name[24];

    snprintf(name, sizeof name, "$%zu", parameter + 1);
    return sqlite3_bind_parameter_index(statement, name);
}

/* Bytes of texts stay where they are until the statement was run. */
static void bind(sqlite3_stmt *statement, int place, const struct cell *cell)
{
    if (cell->type == CELL_TEXT || cell->type == CELL_BLOB)
        sql_bind_borrowed(statement, place, cell->text, cell->type == CELL_TEXT);
    else
        sql_bind_cell(statement, place, cell);
}

struct passing {
    const struct database_rows *rows;
    uint64_t rows_max; /* 0: all */
    int count;
    struct cell *cells;              /* (count) */
    struct database_column *columns; /* (count) */
};

static enum status pass_rows(sqlite3_stmt *statement, const struct passing *passing,
                             struct error *err)
{
    const struct database_rows *rows = passing->rows;
    bool has_row;

    for (int i = 0; i < passing->count; i++)
        passing->columns[i].name = slice_of(sqlite3_column_name(statement, i));
    if (rows->columns && passing->count > 0)
        TRY(rows->columns(rows->self, passing->columns, (size_t)passing->count, err));
    for (uint64_t given = 0; passing->rows_max == 0 || given < passing->rows_max; given++) {
        TRY(sql_step(statement, &has_row, err));
        if (!has_row)
            return STATUS_OK;
        if (python_signals_stop())
            return fail(err, STATUS_INTERRUPTED, "interrupted");
        for (int i = 0; i < passing->count; i++)
            passing->cells[i] = sql_cell(statement, i);
        TRY(rows->row(rows->self, passing->cells, (size_t)passing->count, err));
    }
    return STATUS_OK;
}

static enum status run_with_rows(sqlite3_stmt *statement, const struct database_rows *rows,
                                 uint64_t rows_max, struct error *err)
{
    struct passing passing = {rows, rows_max, sqlite3_column_count(statement), NULL, NULL};
    enum status status;

    passing.cells = calloc((size_t)passing.count + 1, sizeof *passing.cells);
    passing.columns = calloc((size_t)passing.count + 1, sizeof *passing.columns);
    status = passing.cells && passing.columns ? pass_rows(statement, &passing, err)
                                              : fail_no_memory(err);
    free(passing.cells);
    free(passing.columns);
    return status;
}

static enum status query(void *self, const struct database_statement *wanted,
                         const struct database_rows *rows, uint64_t *affected, struct error *err)
{
    sqlite3 *db = sqlite_host_of(self)->db;
    sqlite3_stmt *statement;
    enum status status;

    TRY(sql_prepare(db, wanted->sql, &statement, err));
    for (size_t i = 0; i < wanted->count; i++)
        bind(statement, place_of(statement, i), &wanted->parameters[i]);
    if (wanted->rows_max > 0 && !sqlite3_stmt_readonly(statement))
        status = fail(err, STATUS_INVALID, "the statement does not only read");
    else
        status = rows ? run_with_rows(statement, rows, wanted->rows_max, err)
                      : sql_step_through(statement, err);
    if (affected)
        *affected = (uint64_t)sqlite3_changes(db);
    sqlite3_finalize(statement);
    return status;
}

#define WANTED_MAX 5 /* parameters */

/* Chunks are written before words: a scan for so many of them ends early. Words that another
 * database has written are blobs. A position that is no integer is taken for 0. */
static size_t append_wanted(const struct model_read *read, struct cell parameters[WANTED_MAX],
                            struct text *sql)
{
    const bool has_data = read->data.data;

    text_append_string(sql, " WHERE part = $1 AND name = $2 AND position >= $3 AND position < $4"
                            " AND typeof(position) = 'integer'");
    if (has_data)
        text_append_string(sql, " AND (data COLLATE BINARY = $5 OR data = CAST($5 AS BLOB))");
    text_append_string(sql, has_data ? " LIMIT 1" : " LIMIT $4 - $3");
    parameters[0] = cell_text(read->part);
    parameters[1] = cell_text(read->name);
    parameters[2] = cell_integer(read->first);
    parameters[3] = cell_integer(read->end);
    parameters[4] = cell_text(read->data);
    return has_data ? 5 : 4;
}

/* Row 1 of a model that was written is its meta row. */
static enum status read_model(void *self, const struct model_read *read,
                              const struct database_rows *rows, struct error *err)
{
    struct cell parameters[WANTED_MAX];
    enum status status;
    size_t count = 0;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    text_append_string(&sql, "SELECT part, name, position, value, data FROM ");
    sql_append_table(&sql, read->table.schema, read->table.name);
    if (read->only_meta)
        text_append_string(&sql, " WHERE part = 'meta' LIMIT 1");
    else if (read->part.size > 0)
        count = append_wanted(read, parameters, &sql);
    status = sql.failed
                 ? fail_no_memory(err)
                 : query(self,
                         &(struct database_statement){
                             .sql = text_slice(&sql), .parameters = parameters, .count = count},
                         rows, NULL, err);
    text_deinit(&sql);
    if (status != STATUS_OK)
        err->position = -1;
    return status;
}

/* ----- one statement with many rows ----- */

struct database_prepared {
    sqlite3_stmt *statement;
    size_t count;
    int places[];
};

static enum status prepare(void *self, struct slice sql, const enum cell_type *types, size_t count,
                           struct database_prepared **made, struct error *err)
{
    struct database_prepared *prepared = malloc(sizeof *prepared + count * sizeof(int));
    enum status status;

    (void)types; /* a value has its own */
    if (!prepared)
        return fail_no_memory(err);
    status = sql_prepare(sqlite_host_of(self)->db, sql, &prepared->statement, err);
    if (status != STATUS_OK) {
        err->position = -1;
        free(prepared);
        return status;
    }
    prepared->count = count;
    for (size_t i = 0; i < count; i++)
        prepared->places[i] = place_of(prepared->statement, i);
    *made = prepared;
    return STATUS_OK;
}

static enum status execute(void *self, struct database_prepared *prepared, const struct cell *cells,
                           struct error *err)
{
    (void)self;
    for (size_t i = 0; i < prepared->count; i++)
        bind(prepared->statement, prepared->places[i], &cells[i]);
    return sql_step_through(prepared->statement, err);
}

static enum status finish(void *self, struct database_prepared *prepared, struct error *err)
{
    (void)self;
    (void)err;
    sqlite3_finalize(prepared->statement);
    free(prepared);
    return STATUS_OK;
}

/* ----- transactions ----- */

static enum status begin(void *self, struct database_transaction *transaction, struct error *err)
{
    struct transaction made;
    const enum status status = transaction_begin(&made, sqlite_host_of(self)->db, err);

    transaction->is_inner = made.is_savepoint;
    return status;
}

static enum status end(void *self, struct database_transaction *transaction, enum status so_far,
                       struct error *err)
{
    struct transaction made = {sqlite_host_of(self)->db, transaction->is_inner};

    return transaction_end(&made, so_far, err);
}

/* Whatever is committed is so at once. */
static enum status settle(void *self, bool *is_so, struct error *err)
{
    (void)err;
    *is_so = sqlite3_get_autocommit(sqlite_host_of(self)->db);
    return STATUS_OK;
}

void database_sqlite_init(struct sqlite_host *host)
{
    host->database = (struct database){.self = host,
                                       .query = query,
                                       .read_model = read_model,
                                       .prepare = prepare,
                                       .execute = execute,
                                       .finish = finish,
                                       .begin = begin,
                                       .end = end,
                                       .settle = settle,
                                       .interrupted = host_interrupted};
}
