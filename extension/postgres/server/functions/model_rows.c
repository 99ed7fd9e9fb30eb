/*
 * totrain.model_rows(relation, only_meta, at_once): for clients that read models over their
 * connection, what model_heap.h does for those in the server.
 */
#include "extension/postgres/server/session/model_heap.h"

#include <catalog/pg_type.h>
#include <funcapi.h>
#include <utils/tuplestore.h>

SQL_FUNCTION(totrain_sql_model_rows);

static Datum text_datum(const struct cell *cell)
{
    return CStringGetTextDatum(session_from_utf8(cell->text));
}

static enum status put_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    const ReturnSetInfo *info = self;
    bool nulls[5];
    Datum values[5] = {0};

    for (int i = 0; i < 5; i++)
        nulls[i] = cells[i].type == CELL_NULL;
    if (!nulls[0])
        values[0] = text_datum(&cells[0]);
    if (!nulls[1])
        values[1] = text_datum(&cells[1]);
    values[2] = Int64GetDatum(cells[2].integer);
    values[3] = Float8GetDatum(cells[3].real);
    if (!nulls[4])
        values[4] =
            PointerGetDatum(cstring_to_text_with_len(cells[4].text.data, (int)cells[4].text.size));
    tuplestore_putvalues(info->setResult, info->setDesc, values, nulls);
    return STATUS_OK;
}

Datum totrain_sql_model_rows(PG_FUNCTION_ARGS)
{
    const struct model_read read = {
        .relation = PG_GETARG_OID(0), .only_meta = PG_GETARG_BOOL(1), .at_once = PG_GETARG_BOOL(2)};
    struct database_rows rows = {.row = put_row};
    struct session session;
    struct error err;

    InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
    rows.self = fcinfo->resultinfo;
    session_init(&session, true);
    if (model_heap_read(&session, &read, &rows, &err) == STATUS_OK)
        return (Datum)0;
    if (err.status == STATUS_NOT_FOUND) /* between the caller's list and now */
        err.status = STATUS_CORRUPT;
    session_raise(&session, &err, SLICE(""), false);
}
