#include "extension/postgres/server/functions/explain_models.h"

#include <commands/explain.h>
#include <executor/executor.h>
#include <nodes/nodeFuncs.h>
#include <tcop/tcopprot.h>
#if PG_VERSION_NUM >= 180000
#include <commands/explain_format.h>
#include <commands/explain_state.h>
#endif

struct explained_model {
    struct explained_model *next;
    const char *path; /* the model's name in the call */
    int64 version;
    uint64 rows;
    uint32 reads;   /* 0: the session had kept it */
    double seconds; /* time of these reads */
};

struct explained {
    struct explained *outer; /* the statement that runs the EXPLAIN; NULL: the client */
    MemoryContext context;
    ExplainState *state;
    const char *sql;
    struct explained_model *first, **last;
    uint64 number;
    uint32 workers;   /* parallel workers that were started */
    bool is_expected; /* a scoring function is called somewhere in it */
    bool is_told;
};

static struct explained *explained; /* NULL: none is */
static uint64 statements;
static ExplainOneQuery_hook_type next_explain;
static ExecutorEnd_hook_type next_end;

/* ----- counting ----- */

bool explain_models_counts(void)
{
    return explained != NULL;
}

void explain_models_expect(void)
{
    if (explained)
        explained->is_expected = true;
}

static struct explained_model *find_model(struct explained *statement, const char *path,
                                          int64 version)
{
    struct explained_model *model = statement->first;

    while (model && !(model->version == version && strcmp(model->path, path) == 0))
        model = model->next;
    if (model)
        return model;
    model = MemoryContextAllocZero(statement->context, sizeof *model);
    model->path = MemoryContextStrdup(statement->context, path);
    model->version = version;
    *statement->last = model;
    statement->last = &model->next;
    return model;
}

static struct explained_model *model_of(struct explained_place *place, const char *path,
                                        int64 version)
{
    if (place->statement != explained->number) {
        place->model = find_model(explained, path, version);
        place->statement = explained->number;
    }
    return place->model;
}

void explain_models_taken(struct explained_place *place, const char *path, int64 version,
                          bool is_read, double seconds)
{
    struct explained_model *model;

    place->statement = 0;
    model = model_of(place, path, version);
    model->reads += is_read;
    model->seconds += is_read ? seconds : 0;
}

void explain_models_row(struct explained_place *place, const char *path, int64 version)
{
    model_of(place, path, version)->rows++;
}

static bool count_workers(PlanState *node, void *context)
{
    if (!node)
        return false;
    if (IsA(node, GatherState))
        *(uint32 *)context += (uint32)((GatherState *)node)->nworkers_launched;
    if (IsA(node, GatherMergeState))
        *(uint32 *)context += (uint32)((GatherMergeState *)node)->nworkers_launched;
    return planstate_tree_walker(node, count_workers, context);
}

/* ----- telling ----- */

static void tell_as_text(const struct explained *statement)
{
    const ExplainState *state = statement->state;

    appendStringInfoString(state->str, "ToTrain:\n");
    for (const struct explained_model *model = statement->first; model; model = model->next) {
        appendStringInfo(state->str, "  Model %s: version=" INT64_FORMAT " rows=" UINT64_FORMAT,
                         model->path, model->version, model->rows);
        if (model->reads == 0)
            appendStringInfoString(state->str, " cached");
        if (model->reads > 1)
            appendStringInfo(state->str, " reads=%u", model->reads);
        if (model->reads > 0 && state->timing)
            appendStringInfo(state->str, " time=%.3f ms", model->seconds * 1000);
        appendStringInfoChar(state->str, '\n');
    }
    if (statement->workers > 0)
        appendStringInfo(state->str, "  Workers: %u; what they scored is not counted\n",
                         statement->workers);
}

static void tell_model(const struct explained_model *model, ExplainState *state)
{
    ExplainOpenGroup("Model", NULL, true, state);
    ExplainPropertyText("Model", model->path, state);
    ExplainPropertyInteger("Version", NULL, model->version, state);
    ExplainPropertyInteger("Rows", NULL, (int64)model->rows, state);
    ExplainPropertyBool("Cached", model->reads == 0, state);
    ExplainPropertyInteger("Reads", NULL, model->reads, state);
    if (state->timing)
        ExplainPropertyFloat("Read Time", "ms", model->seconds * 1000, 3, state);
    ExplainCloseGroup("Model", NULL, true, state);
}

static void tell_as_properties(const struct explained *statement)
{
    ExplainState *state = statement->state;

    ExplainOpenGroup("ToTrain", "ToTrain", true, state);
    ExplainOpenGroup("Models", "Models", false, state);
    for (const struct explained_model *model = statement->first; model; model = model->next)
        tell_model(model, state);
    ExplainCloseGroup("Models", "Models", false, state);
    ExplainPropertyInteger("Workers Not Counted", NULL, statement->workers, state);
    ExplainCloseGroup("ToTrain", "ToTrain", true, state);
}

static void tell(struct explained *statement)
{
    statement->is_told = true;
    if (!statement->first && !(statement->is_expected && statement->workers > 0))
        return;
    if (statement->state->format == EXPLAIN_FORMAT_TEXT)
        tell_as_text(statement);
    else
        tell_as_properties(statement);
}

/* The explained query ends while its output is still open. It has the very text that EXPLAIN was
 * given, no copy; others that end meanwhile were run by its functions. */
static void end_query(QueryDesc *query)
{
    if (explained && !explained->is_told) {
        (void)count_workers(query->planstate, &explained->workers);
        if (query->sourceText == explained->sql)
            tell(explained);
    }
    if (next_end)
        next_end(query);
    else
        standard_ExecutorEnd(query);
}

/* ----- the statement ----- */

/* The steps that PostgreSQL takes where no hook is set. */
static void explain_as_ever(Query *query, int options, IntoClause *into, ExplainState *state,
                            const char *sql, ParamListInfo parameters,
                            QueryEnvironment *environment)
{
#if PG_VERSION_NUM >= 170000
    standard_ExplainOneQuery(query, options, into, state, sql, parameters, environment);
#else
    BufferUsage before = pgBufferUsage, usage;
    instr_time start, taken;
    PlannedStmt *plan;

    INSTR_TIME_SET_CURRENT(start);
    plan = pg_plan_query(query, sql, options, parameters);
    INSTR_TIME_SET_CURRENT(taken);
    INSTR_TIME_SUBTRACT(taken, start);
    memset(&usage, 0, sizeof usage);
    BufferUsageAccumDiff(&usage, &pgBufferUsage, &before);
    ExplainOnePlan(plan, into, state, sql, parameters, environment, &taken,
                   state->buffers ? &usage : NULL);
#endif
}

/* The outer statement has done, too, what an inner EXPLAIN has counted. */
static void add_to_outer(const struct explained *inner)
{
    struct explained *outer = inner->outer;

    if (!outer)
        return;
    outer->workers += inner->workers;
    for (const struct explained_model *model = inner->first; model; model = model->next) {
        struct explained_model *same = find_model(outer, model->path, model->version);

        same->rows += model->rows;
        same->reads += model->reads;
        same->seconds += model->seconds;
    }
}

static void explain_query(Query *query, int options, IntoClause *into, ExplainState *state,
                          const char *sql, ParamListInfo parameters, QueryEnvironment *environment)
{
    const ExplainOneQuery_hook_type explain = next_explain ? next_explain : explain_as_ever;
    struct explained statement = {.outer = explained,
                                  .context = CurrentMemoryContext,
                                  .state = state,
                                  .sql = sql,
                                  .number = ++statements};

    statement.last = &statement.first;
    if (!state->analyze) {
        explain(query, options, into, state, sql, parameters, environment);
        return;
    }
    explained = &statement;
    PG_TRY();
    {
        explain(query, options, into, state, sql, parameters, environment);
    }
    PG_FINALLY();
    {
        explained = statement.outer;
    }
    PG_END_TRY();
    add_to_outer(&statement);
}

void explain_models_install(void)
{
    next_explain = ExplainOneQuery_hook;
    ExplainOneQuery_hook = explain_query;
    next_end = ExecutorEnd_hook;
    ExecutorEnd_hook = end_query;
}
