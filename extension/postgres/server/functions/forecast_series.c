/*
 * totrain.forecast_series(time, value, horizon [, options]): an aggregate that forecasts a series
 * which nobody trained. Its rows come in any order; the result is JSON (forecast/points.h).
 *
 * The points are malloc'd, and belong to the memory context of the group: it frees them, whatever
 * ends the query.
 */
#include "extension/postgres/server/session/session.h"

#include <catalog/pg_type.h>
#include <utils/memutils.h>

#include "extension/postgres/server/session/settings.h"
#include "extension/postgres/server/session/values.h"
#include "forecast/points.h"

SQL_FUNCTION(totrain_sql_forecast_add);
SQL_FUNCTION(totrain_sql_forecast_end);

struct group {
    struct points points;
    struct value_reader reader; /* for times */
    MemoryContext row;          /* for one call */
    MemoryContextCallback callback;
};

static void release(void *group)
{
    points_deinit(&((struct group *)group)->points);
}

/* Nothing throws between what allocates and the callback that frees it: a text allocates when it is
 * appended to, points when one is added. */
static struct group *group_new(MemoryContext context, Oid type)
{
    struct group *group = MemoryContextAllocZero(context, sizeof *group);
    MemoryContext before = MemoryContextSwitchTo(context);
    const size_t most =
        settings.max_memory > 0 ? (size_t)settings.max_memory * 1024 : ARENA_MAXIMUM;

    value_reader_init(&group->reader, type, FORM_DATA);
    group->row = AllocSetContextCreate(context, "totrain row", ALLOCSET_SMALL_SIZES);
    MemoryContextSwitchTo(before);
    points_init(&group->points, most);
    group->callback.func = release;
    group->callback.arg = group;
    MemoryContextRegisterResetCallback(context, &group->callback);
    group->points.has_zone = group->reader.type == TIMESTAMPTZOID;
    return group;
}

/* (state, time, value, horizon [, options]) */
Datum totrain_sql_forecast_add(PG_FUNCTION_ARGS)
{
    struct group *group = PG_ARGISNULL(0) ? NULL : (struct group *)PG_GETARG_POINTER(0);
    struct cell time = {.type = CELL_NULL}, value = time, horizon = time, options = time;
    MemoryContext context, before;
    struct error err;
    enum status status;

    if (!AggCheckCallContext(fcinfo, &context))
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("totrain.forecast_series is an aggregate function")));
    if (!group)
        group = group_new(context, get_fn_expr_argtype(fcinfo->flinfo, 1));
    MemoryContextReset(group->row);
    before = MemoryContextSwitchTo(group->row);
    if (!PG_ARGISNULL(1))
        time = value_read(&group->reader, PG_GETARG_DATUM(1));
    if (!PG_ARGISNULL(2))
        value = (struct cell){.type = CELL_REAL, .real = PG_GETARG_FLOAT8(2)};
    if (!PG_ARGISNULL(3))
        horizon = (struct cell){.type = CELL_INTEGER, .integer = PG_GETARG_INT32(3)};
    if (PG_NARGS() > 4 && !PG_ARGISNULL(4)) {
        const text *given = PG_GETARG_TEXT_PP(4);

        options.type = CELL_TEXT;
        options.text = session_to_utf8(VARDATA_ANY(given), VARSIZE_ANY_EXHDR(given));
    }
    status = points_add(&group->points, &time, &value, &horizon, &options, &err);
    MemoryContextSwitchTo(before);
    if (status != STATUS_OK) {
        struct session nobody = {.memory = CurrentMemoryContext};

        session_raise(&nobody, &err, SLICE(""), false);
    }
    PG_RETURN_POINTER(group);
}

Datum totrain_sql_forecast_end(PG_FUNCTION_ARGS)
{
    struct group *group = PG_ARGISNULL(0) ? NULL : (struct group *)PG_GETARG_POINTER(0);
    struct session *session;
    struct text json;
    struct error err;
    enum status status;
    bool has_any;
    text *result = NULL;

    if (!group)
        PG_RETURN_NULL();
    session = palloc(sizeof *session);
    session_init(session, true);
    text_init(&json, MaxAllocSize / 2);
    status = points_forecast(&group->points, session_interrupted, session, &json, &has_any, &err);
    if (status == STATUS_OK && has_any) {
        result = palloc_extended(json.size + VARHDRSZ, MCXT_ALLOC_NO_OOM);
        if (result) {
            SET_VARSIZE(result, json.size + VARHDRSZ);
            memcpy(VARDATA(result), text_string(&json), json.size);
        } else {
            status = fail_no_memory(&err);
        }
    }
    text_deinit(&json);
    if (status != STATUS_OK)
        session_raise(session, &err, SLICE(""), false);
    if (!result)
        PG_RETURN_NULL();
    PG_RETURN_TEXT_P(result);
}
