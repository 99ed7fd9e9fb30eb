#include "extension/postgres/libpq/libpq_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extension/postgres/libpq/binary_cells.h"
#include "extension/postgres/libpq/libpq_describe.h"
#include "extension/postgres/libpq/libpq_parameters.h"
#include "extension/postgres/libpq/libpq_wait.h"
#include "extension/postgres/sql/kinds.h"

static void read_shown(enum pg_kind kind, const PGresult *result, int row, int column,
                       struct cell *cell)
{
    struct slice text = {PQgetvalue(result, row, column), (size_t)PQgetlength(result, row, column)};

    *cell = (struct cell){.type = CELL_TEXT, .text = text};
    if (PQgetisnull(result, row, column))
        cell->type = CELL_NULL;
    else if ((kind == PG_INTEGER || kind == PG_OID) && slice_to_integer(text, &cell->integer))
        cell->type = CELL_INTEGER;
    else if (kind == PG_REAL && slice_to_real(text, &cell->real))
        cell->type = CELL_REAL;
}

/* The columns of a result and the row that is being passed on. */
struct passing {
    const struct database_rows *rows;
    enum database_form form;
    struct database_column *columns;
    struct cell *cells;
    struct text scratch;
    size_t count;
    bool has_begun;
};

static void passing_deinit(struct passing *passing)
{
    free(passing->columns);
    free(passing->cells);
    text_deinit(&passing->scratch);
}

static enum status begin_passing(const struct libpq *libpq, struct passing *passing,
                                 const PGresult *result, struct error *err)
{
    passing->has_begun = true;
    passing->count = (size_t)PQnfields(result);
    passing->columns = calloc(passing->count + 1, sizeof *passing->columns);
    passing->cells = calloc(passing->count + 1, sizeof *passing->cells);
    text_init(&passing->scratch, TEXT_MAXIMUM);
    if (!passing->columns || !passing->cells)
        return fail_no_memory(err);
    for (size_t i = 0; i < passing->count; i++)
        passing->columns[i] =
            (struct database_column){.name = slice_of(PQfname(result, (int)i)),
                                     .type = PQftype(result, (int)i),
                                     .kind = libpq_kind_of(libpq, PQftype(result, (int)i))};
    return passing->rows->columns
               ? passing->rows->columns(passing->rows->self, passing->columns, passing->count, err)
               : STATUS_OK;
}

static enum status pass_row(struct passing *passing, const PGresult *result, int row,
                            struct error *err)
{
    text_clear(&passing->scratch);
    for (size_t i = 0; i < passing->count; i++) {
        struct slice bytes = {PQgetvalue(result, row, (int)i),
                              (size_t)PQgetlength(result, row, (int)i)};
        if (passing->form == FORM_SHOWN)
            read_shown(passing->columns[i].kind, result, row, (int)i, &passing->cells[i]);
        else if (PQgetisnull(result, row, (int)i))
            passing->cells[i] = (struct cell){.type = CELL_NULL};
        else
            TRY(binary_cell(passing->columns[i].kind, bytes, &passing->scratch, &passing->cells[i],
                            err));
    }
    if (passing->form == FORM_DATA)
        binary_cells_settle(passing->columns, passing->count, &passing->scratch, passing->cells);
    return passing->rows->row(passing->rows->self, passing->cells, passing->count, err);
}

/* Passes on the rows of a result that has columns; a command has none. */
static enum status pass_result(const struct libpq *libpq, struct passing *passing,
                               const PGresult *result, struct error *err)
{
    ExecStatusType kind = PQresultStatus(result);

    if (!passing->rows || (kind != PGRES_TUPLES_OK && kind != PGRES_SINGLE_TUPLE))
        return STATUS_OK;
    if (!passing->has_begun)
        TRY(begin_passing(libpq, passing, result, err));
    for (int row = 0; row < PQntuples(result); row++)
        TRY(pass_row(passing, result, row, err));
    return STATUS_OK;
}

/* ----- one by one ----- */

static enum status send_parameters(struct libpq *libpq, const struct database_statement *statement,
                                   const char *sql, struct error *err)
{
    struct parameters parameters;
    enum status status = parameters_init(&parameters, statement->count, err);

    for (size_t i = 0; status == STATUS_OK && i < statement->count; i++) {
        parameters.types[i] = parameters_type(statement->parameters[i].type);
        status = parameters_put(&parameters, i, &statement->parameters[i], err);
    }
    if (status == STATUS_OK &&
        !PQsendQueryParams(libpq->connection, sql, (int)statement->count, parameters.types,
                           parameters.values, parameters.sizes, parameters.formats,
                           statement->form == FORM_DATA))
        status = libpq_fail(libpq, NULL, statement->sql, 0, err);
    parameters_deinit(&parameters);
    return status;
}

/* A statement for people goes as psql sends it, for the same errors. */
static enum status send(struct libpq *libpq, const struct database_statement *statement,
                        const char *sql, struct error *err)
{
    if (statement->form == FORM_DATA || statement->count > 0)
        TRY(send_parameters(libpq, statement, sql, err));
    else if (!PQsendQuery(libpq->connection, sql))
        return libpq_fail(libpq, NULL, statement->sql, 0, err);
    return PQsetSingleRowMode(libpq->connection) ? STATUS_OK
                                                 : libpq_fail(libpq, NULL, statement->sql, 0, err);
}

static enum status pass_results(struct libpq *libpq, struct passing *passing, struct slice sql,
                                uint64_t *affected, struct error *err)
{
    PGresult *result;

    while ((result = libpq_next_result(libpq))) {
        enum status status = libpq_check_result(libpq, result, sql, 0, err);

        if (status == STATUS_OK)
            status = pass_result(libpq, passing, result, err);
        if (affected && *PQcmdTuples((PGresult *)result))
            *affected = strtoull(PQcmdTuples((PGresult *)result), NULL, 10);
        PQclear(result);
        if (status != STATUS_OK) {
            libpq_drain(libpq);
            return status;
        }
    }
    return PQstatus(libpq->connection) == CONNECTION_BAD ? libpq_fail(libpq, NULL, sql, 0, err)
                                                         : STATUS_OK;
}

static enum status query_rows(struct libpq *libpq, const struct database_statement *statement,
                              const char *sql, const struct database_rows *rows, uint64_t *affected,
                              struct error *err)
{
    struct passing passing = {.rows = rows, .form = statement->form};
    enum status status;

    TRY(send(libpq, statement, sql, err));
    status = pass_results(libpq, &passing, statement->sql, affected, err);
    passing_deinit(&passing);
    return status;
}

/* ----- by COPY ----- */

static enum status copy_rows(struct libpq *libpq, struct binary_copy *copy,
                             const struct database_rows *rows, struct error *err)
{
    struct slice message;
    char *owned;

    while (libpq_next_copied(libpq, &message, &owned)) {
        enum status status = STATUS_OK;
        bool has_row = true;

        while (status == STATUS_OK && has_row) {
            status = binary_copy_next(copy, &message, &has_row, err);
            if (status == STATUS_OK && has_row)
                status = rows->row(rows->self, copy->cells, copy->count, err);
        }
        PQfreemem(owned);
        TRY(status);
    }
    return STATUS_OK;
}

static enum status copy_sent(struct libpq *libpq, struct slice sql, size_t skipped,
                             struct binary_copy *copy, const struct database_rows *rows,
                             struct error *err)
{
    PGresult *result = libpq_next_result(libpq);
    ExecStatusType kind = PQresultStatus(result);
    enum status status = STATUS_OK;

    if (kind != PGRES_COPY_OUT)
        status = libpq_fail(libpq, result, sql, skipped, err);
    PQclear(result);
    if (status == STATUS_OK)
        status = copy_rows(libpq, copy, rows, err);
    if (status != STATUS_OK) {
        libpq_drain(libpq);
        return status;
    }
    return libpq_finish_sent(libpq, sql, skipped, NULL, err);
}

static const char copy_front[] = "COPY (";

/* A comment at the query's end is closed by the end of its line. */
enum status libpq_copy(struct libpq *libpq, struct slice sql, const struct database_column *columns,
                       size_t count, const struct database_rows *rows, struct error *err)
{
    struct binary_copy copy;
    enum status status;
    struct text text;

    TRY(libpq_check_ready(libpq, sql, err));
    text_init(&text, TEXT_MAXIMUM);
    text_append_string(&text, copy_front);
    text_append(&text, sql);
    text_append_string(&text, "\n) TO STDOUT (FORMAT binary)");
    TRY_OR(done, status, binary_copy_init(&copy, columns, count, err));
    if (text.failed)
        status = fail_no_memory(err);
    else if (!PQsendQueryParams(libpq->connection, text_string(&text), 0, NULL, NULL, NULL, NULL,
                                0))
        status = libpq_fail(libpq, NULL, sql, 0, err);
    else
        status = copy_sent(libpq, sql, sizeof copy_front - 1, &copy, rows, err);
done:
    binary_copy_deinit(&copy);
    text_deinit(&text);
    return status;
}

/* A copied row does not describe its columns: a query before it does. */
static enum status query_copied(struct libpq *libpq, struct slice sql,
                                const struct database_rows *rows, struct error *err)
{
    struct database_column *columns = NULL;
    struct arena arena;
    enum status status;
    size_t count = 0;

    arena_init(&arena, ARENA_MAXIMUM);
    status = libpq_describe(libpq, sql, &arena, &columns, &count, err);
    if (status == STATUS_OK && rows->columns)
        status = rows->columns(rows->self, columns, count, err);
    if (status == STATUS_OK)
        status = libpq_copy(libpq, sql, columns, count, rows, err);
    arena_deinit(&arena);
    return status;
}

/* ----- the first rows ----- */

static const char declare_front[] = "DECLARE totrain_sample NO SCROLL CURSOR FOR ";

static enum status declare(struct libpq *libpq, struct slice sql, struct error *err)
{
    enum status status;
    struct text text;

    text_init(&text, TEXT_MAXIMUM);
    text_append_string(&text, declare_front);
    text_append(&text, sql);
    status = text.failed ? fail_no_memory(err) : STATUS_OK;
    if (status == STATUS_OK &&
        !PQsendQueryParams(libpq->connection, text_string(&text), 0, NULL, NULL, NULL, NULL, 0))
        status = libpq_fail(libpq, NULL, sql, 0, err);
    if (status == STATUS_OK)
        status = libpq_finish_sent(libpq, sql, sizeof declare_front - 1, NULL, err);
    text_deinit(&text);
    return status;
}

static enum status fetch(struct libpq *libpq, const struct database_statement *statement,
                         const struct database_rows *rows, struct error *err)
{
    struct passing passing = {.rows = rows, .form = statement->form};
    PGresult *result = NULL;
    char sql[64];
    enum status status;

    snprintf(sql, sizeof sql, "FETCH %llu FROM totrain_sample",
             (unsigned long long)statement->rows_max);
    if (!PQsendQueryParams(libpq->connection, sql, 0, NULL, NULL, NULL, NULL,
                           statement->form == FORM_DATA))
        return libpq_fail(libpq, NULL, slice_of(sql), 0, err);
    status = libpq_finish_sent(libpq, slice_of(sql), 0, &result, err);
    if (status == STATUS_OK)
        status = pass_result(libpq, &passing, result, err);
    PQclear(result);
    passing_deinit(&passing);
    return status;
}

static enum status query_first(struct libpq *libpq, const struct database_statement *statement,
                               const struct database_rows *rows, struct error *err)
{
    const struct database *database = &libpq->database;
    struct database_transaction transaction;
    enum status status;

    TRY(database->begin(libpq, &transaction, err));
    TRY_OR(done, status, declare(libpq, statement->sql, err));
    TRY_OR(done, status, fetch(libpq, statement, rows, err));
    status = libpq_execute(libpq, "CLOSE totrain_sample", err);
done:
    return database->end(libpq, &transaction, status, err);
}

enum status libpq_query(void *self, const struct database_statement *statement,
                        const struct database_rows *rows, uint64_t *affected, struct error *err)
{
    struct libpq *libpq = self;
    enum status status;
    char *sql;

    error_clear(err);
    TRY(libpq_check_ready(libpq, statement->sql, err));
    if (statement->rows_max > 0)
        return query_first(libpq, statement, rows, err);
    if (rows && statement->form == FORM_DATA && statement->count == 0)
        return query_copied(libpq, statement->sql, rows, err);
    sql = strndup(statement->sql.data ? statement->sql.data : "", statement->sql.size);
    if (!sql)
        return fail_no_memory(err);
    status = query_rows(libpq, statement, sql, rows, affected, err);
    free(sql);
    return status;
}
