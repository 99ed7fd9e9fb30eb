/*
 * totrain.run('...') and totrain.rows('...'): a statement as part of the caller's
 * transaction. Arguments behind it are the values of $1, $2 in its SELECT (bound.h).
 *
 *     run    TRAIN, PREDICT and EVALUATE, ROLLBACK, CANCEL: (name, value, part, detail)
 *     rows   any statement: each row a JSON object
 *
 * totrain.publish(job) writes the model of a job that has learned and whose model was not
 * committed; totrain.publish(job, owner) that of another role's, as that role.
 */
#include "extension/engine/host/notice_rows.h"
#include "extension/postgres/server/jobs/door_rights.h"
#include "extension/postgres/server/statements/bound.h"

#include <catalog/pg_type.h>
#include <funcapi.h>
#include <utils/guc.h>
#include <utils/tuplestore.h>

#include "extension/postgres/server/jobs/jobs.h"
#include "planner/attributes/attributes.h"
#include "planner/attributes/short_names.h"

SQL_FUNCTION(totrain_sql_run);
SQL_FUNCTION(totrain_sql_rows);
SQL_FUNCTION(totrain_sql_publish);
SQL_FUNCTION(totrain_sql_publish_of);

/* A function that returns the rows of a kept result. */
typedef void result_taker(FunctionCallInfo fcinfo, const struct result *result);

static struct slice argument_text(FunctionCallInfo fcinfo)
{
    const text *argument = PG_GETARG_TEXT_PP(0);

    return bound_statement(
        fcinfo, session_to_utf8(pnstrdup(VARDATA_ANY(argument), VARSIZE_ANY_EXHDR(argument)),
                                VARSIZE_ANY_EXHDR(argument)));
}

struct run_call {
    FunctionCallInfo fcinfo;
    struct slice text;
    int64_t job; /* to be published; 0: the text is run */
    result_taker *take;
};

static void run_and_take(const struct run_call *call, struct result *result)
{
    struct door *door = door_open();
    struct error err;
    enum status status;

    if (call->job > 0)
        status = door_publish(door, call->job, result, &err);
    else {
        door_check_statement(door, call->text, NULL);
        status = door_run(door, call->text, NULL, result, &err);
    }
    if (status != STATUS_OK)
        session_raise(&door->session, &err, call->text, false);
    call->take(call->fcinfo, result);
}

static Datum run_function(const struct run_call *call)
{
    struct result result;

    InitMaterializedSRF(call->fcinfo, MAT_SRF_USE_EXPECTED_DESC);
    result_init(&result);
    PG_TRY();
    {
        run_and_take(call, &result);
    }
    PG_FINALLY();
    {
        result_deinit(&result);
    }
    PG_END_TRY();
    return (Datum)0;
}

static void put_row(FunctionCallInfo fcinfo, Datum *values, bool *nulls)
{
    ReturnSetInfo *info = (ReturnSetInfo *)fcinfo->resultinfo;

    tuplestore_putvalues(info->setResult, info->setDesc, values, nulls);
}

/* ----- run ----- */

/* (name, value, part, detail): a cell that is no real is the detail. */
static void put_named(FunctionCallInfo fcinfo, struct slice name, const struct cell *cell,
                      const char *part)
{
    const bool is_real = cell->type == CELL_REAL, is_null = cell->type == CELL_NULL;
    Datum values[4] = {CStringGetTextDatum(session_from_utf8(name))};
    bool nulls[4] = {false, !is_real, !part, is_real || is_null};

    if (is_real)
        values[1] = Float8GetDatum(cell->real);
    if (part)
        values[2] = CStringGetTextDatum(part);
    if (!nulls[3])
        values[3] = door_cell_as(TEXTOID, cell);
    put_row(fcinfo, values, nulls);
}

static void take_training(FunctionCallInfo fcinfo, const struct result *result)
{
    door_put_training(fcinfo, result);
}

/* Each cell of each row, below the name of its column. */
static void take_facts(FunctionCallInfo fcinfo, const struct result *result)
{
    for (const struct result_row *row = result->first; row; row = row->next)
        for (size_t i = 0; i < result->column_count; i++)
            put_named(fcinfo, result->names[i], &row->cells[i], NULL);
}

/* Metrics, and what is to be known of them as TRAIN has it: a row where there is something. */
static void take_measures(FunctionCallInfo fcinfo, const struct result *result)
{
    for (const struct result_row *row = result->first; row; row = row->next)
        for (size_t i = 0; i < result->column_count; i++) {
            const bool is_notice = slice_is(result->names[i], NOTICE_ROW);

            if (!is_notice || row->cells[i].text.size > 0)
                put_named(fcinfo, result->names[i], &row->cells[i],
                          is_notice ? NULL : "evaluation");
        }
}

/* evaluate.report, but for the one that is the metrics. */
static bool returns_report(const struct statement *statement)
{
    const struct attribute *report = attribute_find(SLICE("evaluate.report"));

    for (size_t i = 0; i < statement->setting_count; i++)
        if (attribute_find_written(statement->settings[i].name.text, SCOPE_EVALUATE, NULL) ==
            report)
            return !slice_is_fold(statement->settings[i].value.text, report_words[REPORT_METRICS]);
    return false;
}

/* NULL: its rows are no numbers. */
static result_taker *taker_of(const struct statement *statement)
{
    if (statement->explain_plan)
        return NULL;
    switch (statement->kind) {
    case STATEMENT_TRAIN:
        return take_training;
    case STATEMENT_EVALUATE:
        if (statement->into.count > 0)
            return take_facts;
        return returns_report(statement) || statement->other_count > 0 ? NULL : take_measures;
    case STATEMENT_EXPLAIN:
    case STATEMENT_FORECAST:
        return statement->into.count > 0 ? take_facts : NULL;
    case STATEMENT_PREDICT:
        return statement_predicts_into_table(statement) ? take_facts : NULL;
    case STATEMENT_CANCEL_JOB:
    case STATEMENT_ROLLBACK_MODEL:
    case STATEMENT_IMPORT_MODEL:
    case STATEMENT_DEFINE_MODEL:
    case STATEMENT_DROP_DEFINITION:
    case STATEMENT_IMPORT_DEFINITION:
        return take_facts;
    default:
        return NULL;
    }
}

static result_taker *choose_taker(struct slice text)
{
    struct arena arena;
    struct statement statement;
    struct error err;
    result_taker *taker = NULL;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    error_clear(&err);
    status = parse_statement(text, &arena, &statement, &err);
    if (status == STATUS_OK)
        taker = taker_of(&statement);
    arena_deinit(&arena);
    /* A statement that does not parse is refused, with its place, when it is run. */
    return status == STATUS_OK ? taker : take_facts;
}

/* Where values may be NULL, so may the statement: no rows, as of a function that is STRICT. */
static Datum no_rows(FunctionCallInfo fcinfo)
{
    InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
    return (Datum)0;
}

Datum totrain_sql_run(PG_FUNCTION_ARGS)
{
    struct slice text;
    result_taker *taker;

    if (PG_ARGISNULL(0))
        return no_rows(fcinfo);
    text = argument_text(fcinfo);
    taker = choose_taker(text);
    if (!taker)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("totrain.run returns numbers, and this statement other rows"),
                        errhint("Use totrain.rows($$ ... $$), which returns JSON objects.")));
    return run_function(&(struct run_call){fcinfo, text, 0, taker});
}

/* ----- rows ----- */

/* No call of PostgreSQL while there is memory that it does not know of. */
static Datum row_json(const struct result *result, const struct result_row *row)
{
    struct text json;
    struct error err;
    char *copy = NULL;

    text_init(&json, MaxAllocSize / 4);
    if (result_row_to_json(result, row, &json, &err) == STATUS_OK)
        copy = MemoryContextAllocExtended(CurrentMemoryContext, json.size + 1, MCXT_ALLOC_NO_OOM);
    if (copy)
        memcpy(copy, text_string(&json), json.size + 1);
    text_deinit(&json);
    if (!copy)
        ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
    return CStringGetTextDatum(session_from_utf8(slice_of(copy)));
}

static void take_rows(FunctionCallInfo fcinfo, const struct result *result)
{
    for (const struct result_row *row = result->first; row; row = row->next) {
        Datum value = row_json(result, row);
        bool is_null = false;

        put_row(fcinfo, &value, &is_null);
    }
}

Datum totrain_sql_rows(PG_FUNCTION_ARGS)
{
    if (PG_ARGISNULL(0))
        return no_rows(fcinfo);
    return run_function(&(struct run_call){fcinfo, argument_text(fcinfo), 0, take_rows});
}

/* ----- publish ----- */

static Datum publish(FunctionCallInfo fcinfo)
{
    const int64_t job = PG_GETARG_INT64(0);

    if (job <= 0)
        ereport(ERROR,
                (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("there is no job " INT64_FORMAT, job)));
    return run_function(&(struct run_call){fcinfo, SLICE(""), job, take_training});
}

/* (id): one of the caller's own. */
Datum totrain_sql_publish(PG_FUNCTION_ARGS)
{
    return publish(fcinfo);
}

/* (id, owner): of a role whose jobs the caller may manage. It is written as that role, as by
 * PostgreSQL's own maintenance: triggers and constraints of the role's table run as the role, and
 * find nothing of the caller's by a search_path. An error takes role and path back as well. */
Datum totrain_sql_publish_of(PG_FUNCTION_ARGS)
{
    const Oid owner = PG_GETARG_OID(1);
    const int level = NewGUCNestLevel();
    Oid user;
    int security;

    if (!jobs_may_manage(owner))
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("permission denied to publish jobs of role \"%s\"",
                               GetUserNameFromId(owner, true))));
    GetUserIdAndSecContext(&user, &security);
    SetUserIdAndSecContext(owner,
                           security | SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
    (void)set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION,
                            GUC_ACTION_SAVE, true, 0, false);
    publish(fcinfo);
    AtEOXact_GUC(false, level);
    SetUserIdAndSecContext(user, security);
    return (Datum)0;
}
