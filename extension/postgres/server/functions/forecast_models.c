/*
 * totrain.forecast('model' [, steps [, level [, series]]]): the rows of a stored forecast, for
 * joins and views, in columns that all models have; of one series, which is looked up and no other
 * read, where it is named. totrain.forecast_rows(model, steps, level): the same in columns of the
 * history, with the types that the statement names (codegen/lower_forecast.h).
 *
 * The rows go into a tuplestore, which spills to disk. The model is held until it is full.
 */
#include "extension/postgres/server/session/session.h"

#include <catalog/pg_type.h>
#include <funcapi.h>
#include <utils/builtins.h>
#include <utils/date.h>
#include <utils/timestamp.h>
#include <utils/tuplestore.h>

#include "extension/postgres/server/session/model_cache.h"
#include "kinds/forecast/forecast_rows.h"

SQL_FUNCTION(totrain_sql_forecast);
SQL_FUNCTION(totrain_sql_forecast_of);
SQL_FUNCTION(totrain_sql_forecast_rows);

#define COLUMNS_BEHIND_GROUPS 4 /* time, value, lower, upper */
#define COLUMNS_MAX           (FORECAST_GROUPS_MAX + COLUMNS_BEHIND_GROUPS)
#define DAYS_TO_2000          INT64CONST(10957)

struct call {
    FunctionCallInfo fcinfo;
    struct session session;
    MemoryContext row; /* for one row */
    struct cached_model *model;
    struct forecast_rows rows;
    bool is_of_one;      /* a series is named, */
    struct slice series; /* this one, */
    bool is_there;       /* and the model has it */
    bool by_series;      /* one column for the group, and times as texts */
};

static void throw_error(struct call *call, const struct error *err)
{
    session_raise(&call->session, err, SLICE(""), false);
}

static Datum text_of(struct slice text)
{
    return CStringGetTextDatum(session_from_utf8(text));
}

/* Texts and integers. */
static Datum cell_datum(const struct cell *cell)
{
    if (cell->type == CELL_INTEGER)
        return Int64GetDatum(cell->integer);
    return text_of(cell->text);
}

static void refuse_type(TupleDesc columns, int column)
{
    ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                    errmsg("the model has values of another type for column %d, \"%s\"", column + 1,
                           NameStr(TupleDescAttr(columns, column)->attname)),
                    errhint("It was replaced meanwhile, or is not the one that these columns are "
                            "of: FORECAST and totrain.forecast find them by themselves.")));
}

static void check_type(TupleDesc columns, int column, Oid type)
{
    if (TupleDescAttr(columns, column)->atttypid != type)
        refuse_type(columns, column);
}

static Oid type_of_times(const struct forecast_model *forecast)
{
    return forecast->times == FORECAST_NUMBERS ? INT8OID
           : forecast->times == FORECAST_DATES ? DATEOID
                                               : TIMESTAMPOID;
}

/* The columns that FORECAST names are of the model as it was when it was planned. */
static void check_columns(const struct call *call, TupleDesc columns)
{
    const struct forecast_model *forecast = forecast_of(call->rows.model);
    const int groups = (int)forecast->groups;

    if (columns->natts != groups + COLUMNS_BEHIND_GROUPS)
        ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                        errmsg("the model's rows have %d columns, not %d",
                               groups + COLUMNS_BEHIND_GROUPS, columns->natts)));
    for (int i = 0; i < groups; i++)
        check_type(columns, i, forecast->found->has_integers[i] ? INT8OID : TEXTOID);
    check_type(columns, groups, type_of_times(forecast));
    for (int i = groups + 1; i < columns->natts; i++)
        check_type(columns, i, FLOAT8OID);
}

/* ----- a row ----- */

static Datum time_datum(const struct forecast_rows *rows)
{
    const int64_t time = rows->step.time;

    switch (forecast_of(rows->model)->times) {
    case FORECAST_NUMBERS:
        return Int64GetDatum(time);
    case FORECAST_DATES:
        return DateADTGetDatum(
            (DateADT)(time / DAY_MICROSECONDS - (time % DAY_MICROSECONDS < 0) - DAYS_TO_2000));
    default:
        return TimestampGetDatum(time - DAYS_TO_2000 * DAY_MICROSECONDS);
    }
}

static Datum time_text(const struct forecast_rows *rows)
{
    char buffer[TIME_BYTES];
    const struct cell cell = forecast_rows_time(rows, buffer);

    if (cell.type == CELL_INTEGER)
        snprintf(buffer, sizeof buffer, "%lld", (long long)cell.integer);
    return CStringGetTextDatum(buffer);
}

/* The columns before the time; how many. */
static int put_names(struct call *call, Datum *values, bool *nulls)
{
    const int groups = (int)forecast_of(call->rows.model)->groups;
    const int count = call->by_series ? 1 : groups;

    for (int i = 0; i < count; i++) {
        struct cell cell;
        struct error err;

        if ((call->by_series
                 ? forecast_rows_series(&call->rows, &cell, &err)
                 : forecast_rows_group(&call->rows, (uint32_t)i, &cell, &err)) != STATUS_OK)
            throw_error(call, &err);
        nulls[i] = cell.type == CELL_NULL;
        if (!nulls[i])
            values[i] = cell_datum(&cell);
    }
    return count;
}

static void put_row(struct call *call)
{
    const ReturnSetInfo *info = (const ReturnSetInfo *)call->fcinfo->resultinfo;
    bool nulls[COLUMNS_MAX] = {false};
    Datum values[COLUMNS_MAX] = {0};
    int at = put_names(call, values, nulls);

    values[at++] = call->by_series ? time_text(&call->rows) : time_datum(&call->rows);
    values[at++] = Float8GetDatum(call->rows.step.value);
    values[at++] = Float8GetDatum(call->rows.step.lower);
    values[at++] = Float8GetDatum(call->rows.step.upper);
    tuplestore_putvalues(info->setResult, info->setDesc, values, nulls);
}

/* ----- all rows ----- */

static void open_rows(struct call *call)
{
    const FunctionCallInfo fcinfo = call->fcinfo;
    const struct stop stop = {session_interrupted, &call->session};
    const int64_t steps = PG_ARGISNULL(1) ? 0 : PG_GETARG_INT32(1);
    const double level = PG_ARGISNULL(2) ? 0 : PG_GETARG_FLOAT8(2);
    const struct forecast_ask ask = {.steps = PG_ARGISNULL(1) ? NULL : &steps,
                                     .level = PG_ARGISNULL(2) ? NULL : &level,
                                     .series = call->is_of_one ? &call->series : NULL};
    struct error err;

    if (forecast_rows_open(&call->rows, &call->model->held.model, &ask, &stop, &err) != STATUS_OK)
        throw_error(call, &err);
    if (!call->is_there)
        call->rows.series_count = 0;
    if (!call->by_series)
        check_columns(call, ((const ReturnSetInfo *)fcinfo->resultinfo)->setDesc);
}

static void put_rows(struct call *call)
{
    MemoryContext before;

    open_rows(call);
    before = MemoryContextSwitchTo(call->row);
    while (forecast_rows_next(&call->rows)) {
        CHECK_FOR_INTERRUPTS();
        MemoryContextReset(call->row);
        put_row(call);
    }
    MemoryContextSwitchTo(before);
}

static Datum run(FunctionCallInfo fcinfo, bool by_series, bool is_of_one)
{
    struct call *call = palloc0(sizeof *call);
    bool is_read;

    InitMaterializedSRF(fcinfo, by_series ? 0 : MAT_SRF_USE_EXPECTED_DESC);
    if (PG_ARGISNULL(0) || (is_of_one && PG_ARGISNULL(3)))
        return (Datum)0;
    call->fcinfo = fcinfo;
    call->by_series = by_series;
    call->is_of_one = is_of_one;
    call->row = AllocSetContextCreate(CurrentMemoryContext, "totrain row", ALLOCSET_SMALL_SIZES);
    session_init(&call->session, true);
    call->is_there = true;
    if (is_of_one) {
        const char *name = text_to_cstring(PG_GETARG_TEXT_PP(3));

        call->series = session_to_utf8(name, strlen(name));
        call->model = model_cache_take_series(PG_GETARG_TEXT_PP(0), call->series, &call->is_there);
    } else {
        call->model = model_cache_take(PG_GETARG_TEXT_PP(0), &is_read);
    }
    PG_TRY();
    {
        put_rows(call);
    }
    PG_FINALLY();
    {
        forecast_rows_close(&call->rows);
        model_cache_give_back(call->model);
    }
    PG_END_TRY();
    return (Datum)0;
}

Datum totrain_sql_forecast(PG_FUNCTION_ARGS)
{
    return run(fcinfo, true, false);
}

Datum totrain_sql_forecast_of(PG_FUNCTION_ARGS)
{
    return run(fcinfo, true, true);
}

Datum totrain_sql_forecast_rows(PG_FUNCTION_ARGS)
{
    return run(fcinfo, false, false);
}
