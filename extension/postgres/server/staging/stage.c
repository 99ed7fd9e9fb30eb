/*
 * totrain.stage('...'), totrain.collect(n): jobs whose processes are started elsewhere.
 * totrain.discard(n) is in release.c.
 *
 *     SELECT totrain.stage($$ ... TO TRAIN ... $$);    rows and spec into tables
 *     totrain master, totrain worker with --database, anywhere
 *     SELECT * FROM totrain.collect(7);                the model into its table
 *
 * Each is a transaction of the caller's, and what it does goes when that is rolled back.
 */
#include "extension/postgres/server/jobs/door.h"

#include <funcapi.h>
#include <utils/tuplestore.h>

#include "extension/engine/host/train_rows.h"
#include "extension/engine/jobs/staged.h"
#include "extension/postgres/server/jobs/release.h"
#include "extension/postgres/server/session/settings.h"
#include "extension/postgres/server/session/undo.h"
#include "extension/postgres/sql/job_tables.h"

SQL_FUNCTION(totrain_sql_stage);
SQL_FUNCTION(totrain_sql_collect);

static struct job_tables tables_of(struct door *door)
{
    return (struct job_tables){
        .host = &door->host, .schema = settings.job_schema, .login = settings.job_login};
}

/* The number in the row that is named job, among the rows of train_rows.h. */
static int64_t number_in(const struct result *result)
{
    int64_t number;

    for (const struct result_row *row = result->first; row; row = row->next)
        if (result->column_count == TRAIN_COLUMNS && slice_is(row->cells[0].text, "job") &&
            slice_to_integer(row->cells[TRAIN_COLUMNS - 1].text, &number))
            return number;
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("totrain.stage is for statements that train")));
}

static int64_t run_staged(struct slice text, struct result *result)
{
    struct door *door = door_open();
    struct error err;

    door->host.host.catalog.limits.is_staged = true;
    if (door_run(door, text, NULL, result, &err) != STATUS_OK)
        session_raise(&door->session, &err, text, false);
    return number_in(result);
}

static void check_kind(struct slice text)
{
    struct statement statement = {0};
    struct arena arena;
    struct error err;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    error_clear(&err);
    status = parse_statement(text, &arena, &statement, &err);
    arena_deinit(&arena);
    /* A statement that does not parse is refused, with its place, when it is run. */
    if (status == STATUS_OK && (statement.kind != STATEMENT_TRAIN || statement.explain_plan))
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("totrain.stage is for statements that train"),
                        errhint("Use totrain.rows($$ ... $$), which runs any statement.")));
}

Datum totrain_sql_stage(PG_FUNCTION_ARGS)
{
    const char *statement = text_to_cstring(PG_GETARG_TEXT_PP(0));
    const struct slice text = session_to_utf8(statement, strlen(statement));
    struct result result;
    int64_t number = 0;

    check_kind(text);
    result_init(&result);
    PG_TRY();
    {
        number = run_staged(text, &result);
    }
    PG_FINALLY();
    {
        result_deinit(&result);
    }
    PG_END_TRY();
    PG_RETURN_INT64(number);
}

/* ----- the model ----- */

static enum status collect(struct door *door, int64_t number, const struct sink *sink,
                           struct error *err)
{
    struct job_tables tables = tables_of(door);

    job_tables_find(&tables, number);
    TRY(job_tables_check_owner(&tables, err));
    TRY(job_tables_check_use(&tables, err));
    TRY(job_tables_end(&tables, err));
    TRY(job_collect(&door->host.host, &tables.journal, sink, err));
    return release_tables(door, number, err);
}

static void collect_and_put(FunctionCallInfo fcinfo, struct result *result)
{
    struct door *door = door_open();
    const struct sink sink = result_sink(result);
    struct error err;

    error_clear(&err);
    if (collect(door, PG_GETARG_INT64(0), &sink, &err) != STATUS_OK)
        session_raise(&door->session, &err, SLICE(""), false);
    undo_note(&door->job);
    door_put_training(fcinfo, result);
}

Datum totrain_sql_collect(PG_FUNCTION_ARGS)
{
    struct result result;

    InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
    result_init(&result);
    PG_TRY();
    {
        collect_and_put(fcinfo, &result);
    }
    PG_FINALLY();
    {
        result_deinit(&result);
    }
    PG_END_TRY();
    return (Datum)0;
}
