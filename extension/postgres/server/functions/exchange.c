/*
 * totrain.export_model(model, format), totrain.export_text(model, format) and
 * totrain.import_model(model, content, format), and totrain.report(model, format, select): what
 * EXPORT MODEL, IMPORT MODEL and REPORT MODEL do with a client's files, with bytes and texts. They
 * run as the caller, as part of his transaction: reading takes SELECT on the model, writing what
 * TRAIN takes.
 */
#include "extension/postgres/server/jobs/door.h"

#include <access/detoast.h>

#include "extension/engine/exchange_run.h"
#include "extension/engine/report_run.h"
#include "extension/postgres/server/session/settings.h"
#include "extension/postgres/sql/postgres_host.h"
#include "interop/exchange.h"
#include "report/card.h"

SQL_FUNCTION(totrain_sql_export_model);
SQL_FUNCTION(totrain_sql_export_text);
SQL_FUNCTION(totrain_sql_import_model);
SQL_FUNCTION(totrain_sql_report);

static struct slice text_argument(const text *argument)
{
    const size_t size = VARSIZE_ANY_EXHDR(argument);

    return session_to_utf8(pnstrdup(VARDATA_ANY(argument), size), size);
}

/* No call of PostgreSQL that throws while there is memory that it does not know of. */
static bytea *copy_bytes(const struct text *bytes)
{
    bytea *copy = MemoryContextAllocExtended(CurrentMemoryContext, VARHDRSZ + bytes->size,
                                             MCXT_ALLOC_NO_OOM | MCXT_ALLOC_HUGE);

    if (copy) {
        SET_VARSIZE(copy, VARHDRSZ + bytes->size);
        memcpy(VARDATA(copy), text_string(bytes), bytes->size);
    }
    return copy;
}

typedef enum status (*exporter)(const struct host *host, struct slice path, struct slice format,
                                struct text *out, struct error *err);

/* Arguments are (model, format), none of them NULL. */
static bytea *export(FunctionCallInfo fcinfo, exporter exporter)
{
    const struct slice model = text_argument(PG_GETARG_TEXT_PP(0));
    const struct slice format = text_argument(PG_GETARG_TEXT_PP(1));
    struct session *session = palloc(sizeof *session);
    struct sql_host *host = palloc(sizeof *host);
    struct text bytes;
    struct error err;
    bytea *copy = NULL;
    enum status status;

    session_init(session, true);
    postgres_host_init(host, &session->database, "", NULL);
    settings_limit_memory(&host->host);
    text_init(&bytes, EXCHANGE_BYTES_MAX);
    status = exporter(&host->host, model, format, &bytes, &err);
    if (status == STATUS_OK && !(copy = copy_bytes(&bytes)))
        status = fail_no_memory(&err);
    text_deinit(&bytes);
    if (status != STATUS_OK)
        session_raise(session, &err, SLICE(""), false);
    return copy;
}

Datum totrain_sql_export_model(PG_FUNCTION_ARGS)
{
    PG_RETURN_BYTEA_P(export(fcinfo, export_function));
}

Datum totrain_sql_export_text(PG_FUNCTION_ARGS)
{
    const bytea *bytes = export(fcinfo, export_text_function);
    char *text = session_from_utf8((struct slice){VARDATA(bytes), VARSIZE(bytes) - VARHDRSZ});

    PG_RETURN_TEXT_P(cstring_to_text(text));
}

/* (model, content, format): the format may be NULL */
Datum totrain_sql_import_model(PG_FUNCTION_ARGS)
{
    struct slice model, content, format = {NULL, 0};
    const bytea *bytes;
    struct door *door;
    struct error err;
    int64_t version = 0;

    if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
        PG_RETURN_NULL();
    if (toast_raw_datum_size(PG_GETARG_DATUM(1)) > EXCHANGE_BYTES_MAX + VARHDRSZ)
        ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                        errmsg("the content has more than the %zu bytes that are read",
                               EXCHANGE_BYTES_MAX)));
    model = text_argument(PG_GETARG_TEXT_PP(0));
    if (!PG_ARGISNULL(2))
        format = text_argument(PG_GETARG_TEXT_PP(2));
    bytes = PG_GETARG_BYTEA_PP(1);
    content = (struct slice){VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes)};
    door = door_open();
    if (import_function(&door->host.host, model, content, format, &version, &err) != STATUS_OK) {
        if (err.status == STATUS_CORRUPT) /* the argument, and nothing that the server keeps */
            err.status = STATUS_INVALID;
        session_raise(&door->session, &err, SLICE(""), false);
    }
    PG_RETURN_INT64(version);
}

/* The page in the server's encoding, in CurrentMemoryContext; what is thrown leaves no memory of
 * ours. */
static bytea *report(struct door *door, const struct report_call *call)
{
    bytea *copy = NULL;
    struct text page;
    struct error err;
    enum status status;

    text_init(&page, CARD_BYTES_MAX);
    status = report_function(&door->host.host, call, &page, &err);
    if (status == STATUS_OK && !(copy = copy_bytes(&page)))
        status = fail_no_memory(&err);
    text_deinit(&page);
    if (status != STATUS_OK)
        session_raise(&door->session, &err, SLICE(""), false);
    return copy;
}

/* (model, format, select): the last two may be NULL */
Datum totrain_sql_report(PG_FUNCTION_ARGS)
{
    struct report_call call = {.model = {NULL, 0}};
    const bytea *bytes;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    call.model = text_argument(PG_GETARG_TEXT_PP(0));
    if (!PG_ARGISNULL(1))
        call.format = text_argument(PG_GETARG_TEXT_PP(1));
    if (!PG_ARGISNULL(2))
        call.select = text_argument(PG_GETARG_TEXT_PP(2));
    bytes = report(door_open(), &call);
    PG_RETURN_TEXT_P(cstring_to_text(
        session_from_utf8((struct slice){VARDATA(bytes), VARSIZE(bytes) - VARHDRSZ})));
}
