#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postgres_libpq/binary_cells.h"
#include "postgres_libpq/libpq.h"

#define FIRST_USER_OID 16384 /* FirstNormalObjectId: no enum has a smaller one */
#define ROWS_UNTIL_ANSWERED                                                                        \
    256 /* of a prepared statement, sent before the server's answers are read */

enum { OID_BYTEA = 17, OID_INT8 = 20, OID_TEXT = 25, OID_FLOAT8 = 701 };

/* ----- parameters ----- */

/* Of one statement, in binary. */
struct parameters {
    Oid *types;
    const char **values;
    int *sizes, *formats;
    char (*numbers)[8];
};

static Oid type_of(enum cell_type type)
{
    switch (type) {
    case CELL_INTEGER:
        return OID_INT8;
    case CELL_REAL:
        return OID_FLOAT8;
    case CELL_BLOB:
        return OID_BYTEA;
    default:
        return OID_TEXT;
    }
}

static enum status parameters_init(struct parameters *parameters, size_t count, struct error *err)
{
    *parameters = (struct parameters){
        .types = calloc(count + 1, sizeof *parameters->types),
        .values = calloc(count + 1, sizeof *parameters->values),
        .sizes = calloc(count + 1, sizeof *parameters->sizes),
        .formats = calloc(count + 1, sizeof *parameters->formats),
        .numbers = calloc(count + 1, sizeof *parameters->numbers),
    };
    return parameters->types && parameters->values && parameters->sizes && parameters->formats &&
                   parameters->numbers
               ? STATUS_OK
               : fail_no_memory(err);
}

static void parameters_deinit(struct parameters *parameters)
{
    free(parameters->types);
    free(parameters->values);
    free(parameters->sizes);
    free(parameters->formats);
    free(parameters->numbers);
}

static void put_number(struct parameters *parameters, size_t i, uint64_t bits)
{
    binary_put_u64(bits, parameters->numbers[i]);
    parameters->values[i] = parameters->numbers[i];
    parameters->sizes[i] = 8;
}

static enum status put_parameter(struct parameters *parameters, size_t i, const struct cell *cell,
                                 struct error *err)
{
    uint64_t bits;

    parameters->formats[i] = 1;
    switch (cell->type) {
    case CELL_NULL:
        parameters->values[i] = NULL;
        break;
    case CELL_INTEGER:
        put_number(parameters, i, (uint64_t)cell->integer);
        break;
    case CELL_REAL:
        memcpy(&bits, &cell->real, sizeof bits);
        put_number(parameters, i, bits);
        break;
    case CELL_TEXT:
    case CELL_BLOB:
        if (cell->text.size > INT_MAX)
            return fail(err, STATUS_LIMIT, "a value of %zu bytes", cell->text.size);
        parameters->values[i] = cell->text.data ? cell->text.data : "";
        parameters->sizes[i] = (int)cell->text.size;
        break;
    }
    return STATUS_OK;
}

/* ----- results ----- */

/* What a statement was, besides one that failed. */
static enum status check_result(struct libpq *libpq, const PGresult *result, struct slice sql,
                                size_t skipped, struct error *err)
{
    switch (PQresultStatus(result)) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
    case PGRES_SINGLE_TUPLE:
    case PGRES_EMPTY_QUERY:
        return STATUS_OK;
    case PGRES_COPY_IN:
    case PGRES_COPY_OUT:
        fail(err, STATUS_UNSUPPORTED,
             "COPY between the server and a program is not supported here");
        return error_hint(err, "psql's \\copy does that.");
    default:
        return libpq_fail(libpq, result, sql, skipped, err);
    }
}

static enum status check_ready(struct libpq *libpq, struct slice sql, struct error *err)
{
    if (!libpq->is_ending && libpq->interrupts && *libpq->interrupts > 0)
        return fail(err, STATUS_INTERRUPTED, "interrupted");
    if (sql.size > 0 && memchr(sql.data, '\0', sql.size))
        return fail(err, STATUS_INVALID, "the statement holds a zero byte");
    return STATUS_OK;
}

/* All results of what was sent are taken; the first error counts. Where it is OK the
 * last result is the caller's. */
static enum status finish_sent(struct libpq *libpq, struct slice sql, size_t skipped,
                               PGresult **last, struct error *err)
{
    enum status status = STATUS_OK;
    PGresult *result, *kept = NULL;

    while ((result = libpq_next_result(libpq))) {
        if (status == STATUS_OK)
            status = check_result(libpq, result, sql, skipped, err);
        PQclear(kept);
        kept = result;
        if (status == STATUS_UNSUPPORTED)
            libpq_drain(libpq);
    }
    if (status == STATUS_OK && !kept)
        status = libpq_fail(libpq, NULL, sql, skipped, err);
    if (status == STATUS_OK && last) {
        *last = kept;
        return STATUS_OK;
    }
    PQclear(kept);
    return status;
}

enum status libpq_execute(struct libpq *libpq, const char *sql, struct error *err)
{
    TRY(check_ready(libpq, slice_of(sql), err));
    if (!PQsendQueryParams(libpq->connection, sql, 0, NULL, NULL, NULL, NULL, 0))
        return libpq_fail(libpq, NULL, slice_of(sql), 0, err);
    if (finish_sent(libpq, slice_of(sql), 0, NULL, err) != STATUS_OK)
        err->position = -1;
    return err->status;
}

static void read_shown(enum pg_kind kind, const PGresult *result, int row, int column,
                       struct cell *cell)
{
    struct slice text = {PQgetvalue(result, row, column), (size_t)PQgetlength(result, row, column)};

    *cell = (struct cell){.type = CELL_TEXT, .text = text};
    if (PQgetisnull(result, row, column))
        cell->type = CELL_NULL;
    else if (kind == PG_INTEGER && slice_to_integer(text, &cell->integer))
        cell->type = CELL_INTEGER;
    else if (kind == PG_REAL && slice_to_real(text, &cell->real))
        cell->type = CELL_REAL;
}

/* The columns of a result and the row that is being passed on. */
struct passing {
    const struct pg_rows *rows;
    enum pg_form form;
    struct pg_column *columns;
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

static enum pg_kind kind_of(const struct libpq *libpq, Oid type)
{
    for (size_t i = 0; i < libpq->enum_count; i++)
        if (libpq->enums[i] == type)
            return PG_ENUM;
    return pg_kind_of(type);
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
        passing->columns[i] = (struct pg_column){.name = slice_of(PQfname(result, (int)i)),
                                                 .type = PQftype(result, (int)i),
                                                 .kind = kind_of(libpq, PQftype(result, (int)i))};
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
        if (passing->form == PG_SHOWN)
            read_shown(passing->columns[i].kind, result, row, (int)i, &passing->cells[i]);
        else if (PQgetisnull(result, row, (int)i))
            passing->cells[i] = (struct cell){.type = CELL_NULL};
        else
            TRY(binary_cell(passing->columns[i].kind, bytes, &passing->scratch, &passing->cells[i],
                            err));
    }
    return passing->rows->row(passing->rows->self, passing->cells, passing->count, err);
}

/* Of a result that has columns; a command has none. */
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

static void count_affected(const PGresult *result, uint64_t *affected)
{
    if (affected && *PQcmdTuples((PGresult *)result))
        *affected = strtoull(PQcmdTuples((PGresult *)result), NULL, 10);
}

/* ----- one by one ----- */

static enum status send_parameters(struct libpq *libpq, const struct pg_statement *statement,
                                   const char *sql, struct error *err)
{
    struct parameters parameters;
    enum status status = parameters_init(&parameters, statement->count, err);

    for (size_t i = 0; status == STATUS_OK && i < statement->count; i++) {
        parameters.types[i] = type_of(statement->parameters[i].type);
        status = put_parameter(&parameters, i, &statement->parameters[i], err);
    }
    if (status == STATUS_OK &&
        !PQsendQueryParams(libpq->connection, sql, (int)statement->count, parameters.types,
                           parameters.values, parameters.sizes, parameters.formats,
                           statement->form == PG_DATA))
        status = libpq_fail(libpq, NULL, statement->sql, 0, err);
    parameters_deinit(&parameters);
    return status;
}

/* A statement for people goes as psql sends it, for the same errors. */
static enum status send(struct libpq *libpq, const struct pg_statement *statement, const char *sql,
                        struct error *err)
{
    if (statement->form == PG_DATA || statement->count > 0)
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
        enum status status = check_result(libpq, result, sql, 0, err);

        if (status == STATUS_OK)
            status = pass_result(libpq, passing, result, err);
        count_affected(result, affected);
        PQclear(result);
        if (status != STATUS_OK) {
            libpq_drain(libpq);
            return status;
        }
    }
    return PQstatus(libpq->connection) == CONNECTION_BAD ? libpq_fail(libpq, NULL, sql, 0, err)
                                                         : STATUS_OK;
}

static enum status query_rows(struct libpq *libpq, const struct pg_statement *statement,
                              const char *sql, const struct pg_rows *rows, uint64_t *affected,
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
                             const struct pg_rows *rows, struct error *err)
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
                             struct binary_copy *copy, const struct pg_rows *rows,
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
    return finish_sent(libpq, sql, skipped, NULL, err);
}

static const char copy_front[] = "COPY (";

/* A comment at the query's end is closed by the end of its line. */
enum status libpq_copy(struct libpq *libpq, struct slice sql, const struct pg_column *columns,
                       size_t count, const struct pg_rows *rows, struct error *err)
{
    struct binary_copy copy;
    enum status status;
    struct text text;

    TRY(check_ready(libpq, sql, err));
    text_init(&text, TEXT_MAXIMUM);
    text_append_string(&text, copy_front);
    text_append(&text, sql);
    text_append_string(&text, "\n) TO STDOUT (FORMAT binary)");
    status = binary_copy_init(&copy, columns, count, err);
    if (status == STATUS_OK && text.failed)
        status = fail_no_memory(err);
    if (status == STATUS_OK &&
        !PQsendQueryParams(libpq->connection, text_string(&text), 0, NULL, NULL, NULL, NULL, 0))
        status = libpq_fail(libpq, NULL, sql, 0, err);
    if (status == STATUS_OK)
        status = copy_sent(libpq, sql, sizeof copy_front - 1, &copy, rows, err);
    binary_copy_deinit(&copy);
    text_deinit(&text);
    return status;
}

/* A copied row says nothing of its columns: they are asked for first. */
static enum status query_copied(struct libpq *libpq, struct slice sql, const struct pg_rows *rows,
                                struct error *err)
{
    struct pg_column *columns = NULL;
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
        status = finish_sent(libpq, sql, sizeof declare_front - 1, NULL, err);
    text_deinit(&text);
    return status;
}

static enum status fetch(struct libpq *libpq, const struct pg_statement *statement,
                         const struct pg_rows *rows, struct error *err)
{
    struct passing passing = {.rows = rows, .form = statement->form};
    PGresult *result = NULL;
    char sql[64];
    enum status status;

    snprintf(sql, sizeof sql, "FETCH %llu FROM totrain_sample",
             (unsigned long long)statement->rows_max);
    if (!PQsendQueryParams(libpq->connection, sql, 0, NULL, NULL, NULL, NULL,
                           statement->form == PG_DATA))
        return libpq_fail(libpq, NULL, slice_of(sql), 0, err);
    status = finish_sent(libpq, slice_of(sql), 0, &result, err);
    if (status == STATUS_OK)
        status = pass_result(libpq, &passing, result, err);
    PQclear(result);
    passing_deinit(&passing);
    return status;
}

static enum status query_first(struct libpq *libpq, const struct pg_statement *statement,
                               const struct pg_rows *rows, struct error *err)
{
    const struct pg_database *database = &libpq->database;
    struct pg_transaction transaction;
    enum status status;

    TRY(database->begin(libpq, &transaction, err));
    status = declare(libpq, statement->sql, err);
    if (status == STATUS_OK)
        status = fetch(libpq, statement, rows, err);
    if (status == STATUS_OK)
        status = libpq_execute(libpq, "CLOSE totrain_sample", err);
    return database->end(libpq, &transaction, status, err);
}

static enum status query(void *self, const struct pg_statement *statement,
                         const struct pg_rows *rows, uint64_t *affected, struct error *err)
{
    struct libpq *libpq = self;
    enum status status;
    char *sql;

    error_clear(err);
    TRY(check_ready(libpq, statement->sql, err));
    if (statement->rows_max > 0)
        return query_first(libpq, statement, rows, err);
    if (rows && statement->form == PG_DATA && statement->count == 0)
        return query_copied(libpq, statement->sql, rows, err);
    sql = strndup(statement->sql.data ? statement->sql.data : "", statement->sql.size);
    if (!sql)
        return fail_no_memory(err);
    status = query_rows(libpq, statement, sql, rows, affected, err);
    free(sql);
    return status;
}

/* ----- describing ----- */

/* Which of the types that we do not know are enums? */
static enum status learn_enums(struct libpq *libpq, const struct pg_column *columns, size_t count,
                               struct error *err)
{
    PGresult *result = NULL;
    enum status status;
    struct text sql;
    bool is_needed = false;

    text_init(&sql, TEXT_MAXIMUM);
    text_append_string(&sql, "SELECT oid::pg_catalog.text FROM pg_catalog.pg_type WHERE typtype "
                             "OPERATOR(pg_catalog.=) 'e' AND oid OPERATOR(pg_catalog.=) ANY ('{");
    for (size_t i = 0; i < count; i++)
        if (columns[i].kind == PG_OTHER && columns[i].type >= FIRST_USER_OID) {
            text_printf(&sql, is_needed ? ",%u" : "%u", (unsigned)columns[i].type);
            is_needed = true;
        }
    text_append_string(&sql, "}'::pg_catalog.oid[])");
    status = sql.failed ? fail_no_memory(err) : STATUS_OK;
    if (status == STATUS_OK && is_needed) {
        if (!PQsendQueryParams(libpq->connection, text_string(&sql), 0, NULL, NULL, NULL, NULL, 0))
            status = libpq_fail(libpq, NULL, text_slice(&sql), 0, err);
        else
            status = finish_sent(libpq, text_slice(&sql), 0, &result, err);
    }
    for (int i = 0; status == STATUS_OK && i < PQntuples(result); i++)
        if (libpq->enum_count < LIBPQ_ENUMS_MAX)
            libpq->enums[libpq->enum_count++] =
                (uint32_t)strtoul(PQgetvalue(result, i, 0), NULL, 10);
    PQclear(result);
    text_deinit(&sql);
    return status;
}

static enum status read_columns(struct libpq *libpq, const PGresult *result, struct arena *arena,
                                struct pg_column **columns, size_t *count, struct error *err)
{
    struct pg_column *made;

    *count = (size_t)PQnfields(result);
    if (PQnparams(result) > 0)
        return fail(err, STATUS_INVALID, "the SELECT has parameters ($1), which cannot be bound"),
               error_hint(err, "Write the values into the statement.");
    if (*count == 0)
        return fail(err, STATUS_INVALID, "the query must be one that only reads");
    *columns = made = ARENA_NEW(arena, struct pg_column, *count);
    if (!made)
        return fail_no_memory(err);
    for (size_t i = 0; i < *count; i++) {
        made[i].name = arena_copy(arena, slice_of(PQfname(result, (int)i)));
        made[i].type = PQftype(result, (int)i);
        made[i].kind = kind_of(libpq, made[i].type);
        if (!made[i].name.data)
            return fail_no_memory(err);
    }
    TRY(learn_enums(libpq, made, *count, err));
    for (size_t i = 0; i < *count; i++)
        made[i].kind = kind_of(libpq, made[i].type);
    return STATUS_OK;
}

/* Of two requests in one go: a pooler may give the next one to another session. */
static enum status finish_described(struct libpq *libpq, struct slice sql, PGresult **described,
                                    struct error *err)
{
    enum status status = STATUS_OK;

    for (bool is_over = false; !is_over;) {
        PGresult *result = libpq_next_result(libpq);
        ExecStatusType kind = PQresultStatus(result);

        is_over = kind == PGRES_PIPELINE_SYNC || PQstatus(libpq->connection) == CONNECTION_BAD;
        if (result && kind == PGRES_FATAL_ERROR && status == STATUS_OK)
            status = libpq_fail(libpq, result, sql, 0, err);
        if (kind == PGRES_COMMAND_OK) { /* of the preparation, then of the description */
            PQclear(*described);
            *described = result;
        } else {
            PQclear(result);
        }
    }
    if (!PQexitPipelineMode(libpq->connection) && status == STATUS_OK)
        status = libpq_fail(libpq, NULL, sql, 0, err);
    return status;
}

static enum status send_describe(struct libpq *libpq, const char *text, struct slice sql,
                                 struct error *err)
{
    PGconn *connection = libpq->connection;

    if (PQenterPipelineMode(connection) && PQsendPrepare(connection, "", text, 0, NULL) &&
        PQsendDescribePrepared(connection, "") && PQpipelineSync(connection))
        return STATUS_OK;
    libpq_fail(libpq, NULL, sql, 0, err);
    PQexitPipelineMode(connection);
    return err->status;
}

static enum status describe_prepared(struct libpq *libpq, struct slice sql, struct arena *arena,
                                     struct pg_column **columns, size_t *count, struct error *err)
{
    char *text = strndup(sql.data ? sql.data : "", sql.size);
    PGresult *result = NULL;
    enum status status;

    if (!text)
        return fail_no_memory(err);
    status = send_describe(libpq, text, sql, err);
    free(text);
    if (status == STATUS_OK)
        status = finish_described(libpq, sql, &result, err);
    if (status == STATUS_OK)
        status = read_columns(libpq, result, arena, columns, count, err);
    PQclear(result);
    return status;
}

enum status libpq_describe(void *self, struct slice sql, struct arena *arena,
                           struct pg_column **columns, size_t *count, struct error *err)
{
    struct libpq *libpq = self;
    struct pg_transaction transaction;

    error_clear(err);
    TRY(check_ready(libpq, sql, err));
    /* A query that is refused must not end the user's transaction: many are only tried. */
    if (PQtransactionStatus(libpq->connection) != PQTRANS_INTRANS)
        return describe_prepared(libpq, sql, arena, columns, count, err);
    TRY(libpq->database.begin(libpq, &transaction, err));
    return libpq->database.end(libpq, &transaction,
                               describe_prepared(libpq, sql, arena, columns, count, err), err);
}

/* ----- one statement, many rows ----- */

struct pg_prepared {
    struct parameters parameters;
    size_t count;
    uint32_t waiting; /* rows whose answers have not been read */
    enum status status;
    struct error error; /* of the first row that failed */
};

static void note_failure(struct libpq *libpq, struct pg_prepared *prepared, const PGresult *result)
{
    if (prepared->status == STATUS_OK)
        prepared->status = libpq_fail(libpq, result, SLICE(""), 0, &prepared->error);
    prepared->error.position = -1;
}

/* What was sent so far has been done, or is known to have failed. */
static void read_answers(struct libpq *libpq, struct pg_prepared *prepared)
{
    prepared->waiting = 0;
    if (!PQpipelineSync(libpq->connection)) {
        note_failure(libpq, prepared, NULL);
        return;
    }
    for (;;) {
        PGresult *result = libpq_next_result(libpq);
        ExecStatusType kind = PQresultStatus(result);

        if (kind == PGRES_FATAL_ERROR && result)
            note_failure(libpq, prepared, result);
        PQclear(result);
        if (kind == PGRES_PIPELINE_SYNC)
            return;
        if (PQstatus(libpq->connection) == CONNECTION_BAD) {
            note_failure(libpq, prepared, NULL);
            return;
        }
    }
}

static enum status send_prepare(struct libpq *libpq, struct slice sql, struct pg_prepared *prepared,
                                struct error *err)
{
    char *text = strndup(sql.data, sql.size);
    enum status status;

    if (!text)
        return fail_no_memory(err);
    status =
        PQsendPrepare(libpq->connection, "", text, (int)prepared->count, prepared->parameters.types)
            ? finish_sent(libpq, sql, 0, NULL, err)
            : libpq_fail(libpq, NULL, sql, 0, err);
    free(text);
    if (status == STATUS_OK && !PQenterPipelineMode(libpq->connection))
        status = libpq_fail(libpq, NULL, sql, 0, err);
    return status;
}

static void free_prepared(struct pg_prepared *prepared)
{
    parameters_deinit(&prepared->parameters);
    free(prepared);
}

static enum status prepare(void *self, struct slice sql, const enum cell_type *types, size_t count,
                           struct pg_prepared **made, struct error *err)
{
    struct libpq *libpq = self;
    struct pg_prepared *prepared = calloc(1, sizeof *prepared);
    enum status status;

    error_clear(err);
    if (!prepared)
        return fail_no_memory(err);
    prepared->count = count;
    status = parameters_init(&prepared->parameters, count, err);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        prepared->parameters.types[i] = type_of(types[i]);
    if (status == STATUS_OK)
        status = check_ready(libpq, sql, err);
    if (status == STATUS_OK)
        status = send_prepare(libpq, sql, prepared, err);
    if (status == STATUS_OK)
        *made = prepared;
    else
        free_prepared(prepared);
    return status;
}

static enum status execute(void *self, struct pg_prepared *prepared, const struct cell *cells,
                           struct error *err)
{
    struct libpq *libpq = self;
    struct parameters *parameters = &prepared->parameters;

    for (size_t i = 0; i < prepared->count; i++)
        TRY(put_parameter(parameters, i, &cells[i], err));
    if (!PQsendQueryPrepared(libpq->connection, "", (int)prepared->count, parameters->values,
                             parameters->sizes, parameters->formats, 1))
        return libpq_fail(libpq, NULL, SLICE(""), 0, err);
    if (++prepared->waiting >= ROWS_UNTIL_ANSWERED)
        read_answers(libpq, prepared);
    if (prepared->status != STATUS_OK)
        *err = prepared->error;
    return prepared->status;
}

static enum status finish(void *self, struct pg_prepared *prepared, struct error *err)
{
    struct libpq *libpq = self;
    enum status status;

    error_clear(err);
    read_answers(libpq, prepared);
    if (!PQexitPipelineMode(libpq->connection))
        note_failure(libpq, prepared, NULL);
    status = prepared->status;
    if (status != STATUS_OK)
        *err = prepared->error;
    free_prepared(prepared);
    return status;
}

/* ----- transactions ----- */

static enum status begin(void *self, struct pg_transaction *transaction, struct error *err)
{
    struct libpq *libpq = self;

    error_clear(err);
    transaction->is_inner = PQtransactionStatus(libpq->connection) != PQTRANS_IDLE;
    return libpq_execute(libpq, transaction->is_inner ? "SAVEPOINT totrain" : "BEGIN", err);
}

static void roll_back(struct libpq *libpq, const struct pg_transaction *transaction)
{
    struct error ignored;

    if (!transaction->is_inner)
        libpq_execute(libpq, "ROLLBACK", &ignored);
    else if (libpq_execute(libpq, "ROLLBACK TO totrain", &ignored) == STATUS_OK)
        libpq_execute(libpq, "RELEASE totrain", &ignored);
}

static enum status end(void *self, struct pg_transaction *transaction, enum status so_far,
                       struct error *err)
{
    struct libpq *libpq = self;
    enum status status = so_far;

    libpq->is_ending = true;
    if (status == STATUS_OK)
        status = libpq_execute(libpq, transaction->is_inner ? "RELEASE totrain" : "COMMIT", err);
    if (status != STATUS_OK && PQstatus(libpq->connection) == CONNECTION_OK)
        roll_back(libpq, transaction);
    libpq->is_ending = false;
    return status;
}

/* ----- the connection ----- */

static bool interrupted(void *self)
{
    struct libpq *libpq = self;

    return libpq->interrupts && *libpq->interrupts > 0;
}

static void show_notice(void *self, const PGresult *result)
{
    struct libpq *libpq = self;
    const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY);
    const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

    if (libpq->notice && severity && message)
        libpq->notice(libpq->notice_self, severity, message);
}

bool libpq_is_address(const char *text)
{
    static const char *const keywords[] = {"host",    "hostaddr", "port",     "dbname", "user",
                                           "service", "options",  "passfile", "sslmode"};

    if (strncmp(text, "postgres://", 11) == 0 || strncmp(text, "postgresql://", 13) == 0)
        return true;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        size_t size = strlen(keywords[i]);
        if (strncmp(text, keywords[i], size) == 0 && text[size + strspn(text + size, " ")] == '=')
            return true;
    }
    return false;
}

/* The connection has been tried. */
static enum status begin_session(struct libpq *libpq, PGconn *connection, struct error *err)
{
    *libpq = (struct libpq){.connection = connection};
    libpq->database = (struct pg_database){.self = libpq,
                                           .query = query,
                                           .describe = libpq_describe,
                                           .prepare = prepare,
                                           .execute = execute,
                                           .finish = finish,
                                           .begin = begin,
                                           .end = end,
                                           .interrupted = interrupted};
    text_init(&libpq->delivery, PATH_MAX);
    error_clear(err);
    if (!connection)
        return fail_no_memory(err);
    if (PQstatus(connection) != CONNECTION_OK) {
        const char *message = PQerrorMessage(connection);
        return fail(err, STATUS_CONNECTION, "%.*s", (int)strcspn(message, "\n"), message);
    }
    PQsetNoticeReceiver(connection, show_notice, libpq);
    return STATUS_OK;
}

/* libpq takes an address where it expects a database's name. The password, where there is
 * one, counts before the address. */
enum status libpq_open(struct libpq *libpq, const char *address, const char *password,
                       struct error *err)
{
    const char *const names[] = {"dbname", "fallback_application_name", "client_encoding",
                                 password ? "password" : NULL, NULL};
    const char *const values[] = {address, "totrain", "UTF8", password, NULL};

    return begin_session(libpq, PQconnectdbParams(names, values, 1), err);
}

bool libpq_needs_password(const struct libpq *libpq)
{
    return PQconnectionNeedsPassword(libpq->connection);
}

#define CONNINFO_WORDS_MAX 100 /* libpq knows about fifty */

/* What the first one was made with, its password included. */
enum status libpq_open_again(struct libpq *libpq, const struct libpq *first, struct error *err)
{
    const char *names[CONNINFO_WORDS_MAX + 1], *values[CONNINFO_WORDS_MAX + 1];
    PQconninfoOption *options = PQconninfo(first->connection);
    enum status status;
    size_t count = 0;

    for (PQconninfoOption *o = options; o && o->keyword && count < CONNINFO_WORDS_MAX; o++) {
        names[count] = o->keyword;
        values[count++] = o->val;
    }
    names[count] = values[count] = NULL;
    status = begin_session(libpq, options ? PQconnectdbParams(names, values, 0) : NULL, err);
    PQconninfoFree(options);
    return status;
}

void libpq_close(struct libpq *libpq)
{
    PQfinish(libpq->connection);
    libpq->connection = NULL;
    text_deinit(&libpq->delivery);
}
