#include "extension/postgres/libpq/libpq_prepared.h"

#include <stdlib.h>
#include <string.h>

#include "extension/postgres/libpq/libpq_parameters.h"
#include "extension/postgres/libpq/libpq_wait.h"

#define ROWS_UNTIL_ANSWERED 256

struct database_prepared {
    struct parameters parameters;
    size_t count;
    uint32_t waiting; /* rows whose answers have not been read */
    enum status status;
    struct error error; /* the error of the first row that failed */
};

static void note_failure(struct libpq *libpq, struct database_prepared *prepared,
                         const PGresult *result)
{
    if (prepared->status == STATUS_OK)
        prepared->status = libpq_fail(libpq, result, SLICE(""), 0, &prepared->error);
    prepared->error.position = -1;
}

/* Reads answers: each row sent so far has then been done, or is known to have failed. */
static void read_answers(struct libpq *libpq, struct database_prepared *prepared)
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

static enum status send_prepare(struct libpq *libpq, struct slice sql,
                                struct database_prepared *prepared, struct error *err)
{
    char *text = strndup(sql.data, sql.size);
    enum status status;

    if (!text)
        return fail_no_memory(err);
    status =
        PQsendPrepare(libpq->connection, "", text, (int)prepared->count, prepared->parameters.types)
            ? libpq_finish_sent(libpq, sql, 0, NULL, err)
            : libpq_fail(libpq, NULL, sql, 0, err);
    free(text);
    if (status == STATUS_OK && !PQenterPipelineMode(libpq->connection))
        status = libpq_fail(libpq, NULL, sql, 0, err);
    return status;
}

static void free_prepared(struct database_prepared *prepared)
{
    parameters_deinit(&prepared->parameters);
    free(prepared);
}

enum status libpq_prepare(void *self, struct slice sql, const enum cell_type *types, size_t count,
                          struct database_prepared **made, struct error *err)
{
    struct libpq *libpq = self;
    struct database_prepared *prepared = calloc(1, sizeof *prepared);
    enum status status;

    error_clear(err);
    if (!prepared)
        return fail_no_memory(err);
    prepared->count = count;
    TRY_OR(failed, status, parameters_init(&prepared->parameters, count, err));
    for (size_t i = 0; i < count; i++)
        prepared->parameters.types[i] = parameters_type(types[i]);
    TRY_OR(failed, status, libpq_check_ready(libpq, sql, err));
    TRY_OR(failed, status, send_prepare(libpq, sql, prepared, err));
    *made = prepared;
    return STATUS_OK;
failed:
    free_prepared(prepared);
    return status;
}

enum status libpq_execute_prepared(void *self, struct database_prepared *prepared,
                                   const struct cell *cells, struct error *err)
{
    struct libpq *libpq = self;
    struct parameters *parameters = &prepared->parameters;

    for (size_t i = 0; i < prepared->count; i++)
        TRY(parameters_put(parameters, i, &cells[i], err));
    if (!PQsendQueryPrepared(libpq->connection, "", (int)prepared->count, parameters->values,
                             parameters->sizes, parameters->formats, 1))
        return libpq_fail(libpq, NULL, SLICE(""), 0, err);
    if (++prepared->waiting >= ROWS_UNTIL_ANSWERED)
        read_answers(libpq, prepared);
    if (prepared->status != STATUS_OK)
        *err = prepared->error;
    return prepared->status;
}

enum status libpq_finish_prepared(void *self, struct database_prepared *prepared, struct error *err)
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
