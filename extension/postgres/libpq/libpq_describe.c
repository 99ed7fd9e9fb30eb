#include "extension/postgres/libpq/libpq_describe.h"

#include <stdlib.h>
#include <string.h>

#include "extension/postgres/libpq/libpq.h"
#include "extension/postgres/libpq/libpq_wait.h"
#include "extension/postgres/sql/kinds.h"

#define FIRST_USER_OID 16384 /* FirstNormalObjectId: no enum has a smaller one */

enum pg_kind libpq_kind_of(const struct libpq *libpq, Oid type)
{
    for (size_t i = 0; i < libpq->enum_count; i++)
        if (libpq->enums[i] == type)
            return PG_ENUM;
    return pg_kind_of(type);
}

/* Which of the types that we do not know are enums? */
static enum status learn_enums(struct libpq *libpq, const struct database_column *columns,
                               size_t count, struct error *err)
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
            status = libpq_finish_sent(libpq, text_slice(&sql), 0, &result, err);
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
                                struct database_column **columns, size_t *count, struct error *err)
{
    struct database_column *made;

    *count = (size_t)PQnfields(result);
    if (PQnparams(result) > 0)
        return fail(err, STATUS_INVALID, "the SELECT has parameters ($1), which cannot be bound"),
               error_hint(err, "Write the values into the statement.");
    if (*count == 0)
        return fail(err, STATUS_INVALID, "the query must be one that only reads");
    *columns = made = ARENA_NEW(arena, struct database_column, *count);
    if (!made)
        return fail_no_memory(err);
    for (size_t i = 0; i < *count; i++) {
        made[i].name = arena_copy(arena, slice_of(PQfname(result, (int)i)));
        made[i].type = PQftype(result, (int)i);
        made[i].kind = libpq_kind_of(libpq, made[i].type);
        if (!made[i].name.data)
            return fail_no_memory(err);
    }
    TRY(learn_enums(libpq, made, *count, err));
    for (size_t i = 0; i < *count; i++)
        made[i].kind = libpq_kind_of(libpq, made[i].type);
    return STATUS_OK;
}

/* Reads the results of two requests that were sent in one go: a pooler may give a later one to
 * another session. */
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
        if (kind == PGRES_COMMAND_OK) { /* the preparation's result, then the description's */
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
                                     struct database_column **columns, size_t *count,
                                     struct error *err)
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
                           struct database_column **columns, size_t *count, struct error *err)
{
    struct libpq *libpq = self;
    struct database_transaction transaction;

    error_clear(err);
    TRY(libpq_check_ready(libpq, sql, err));
    /* A query that is refused must not end the user's transaction: many are only tried. */
    if (PQtransactionStatus(libpq->connection) != PQTRANS_INTRANS)
        return describe_prepared(libpq, sql, arena, columns, count, err);
    TRY(libpq->database.begin(libpq, &transaction, err));
    return libpq->database.end(libpq, &transaction,
                               describe_prepared(libpq, sql, arena, columns, count, err), err);
}
