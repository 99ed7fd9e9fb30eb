#include "extension/engine/engine.h"

#include <string.h>

#include "codegen/lower_forecast.h"
#include "codegen/model_path.h"
#include "extension/engine/definition_files.h"
#include "extension/engine/definitions.h"
#include "extension/engine/exchange_run.h"
#include "extension/engine/host/stored.h"
#include "extension/engine/host/train_rows.h"
#include "extension/engine/jobs/cluster_job.h"
#include "extension/engine/jobs/jobs.h"
#include "extension/engine/jobs/train.h"
#include "extension/engine/report_run.h"
#include "extension/engine/score/explain/explain_model.h"
#include "extension/engine/score/forecast_run.h"
#include "extension/engine/score/score.h"
#include "extension/engine/score/score_choice.h"
#include "extension/engine/show.h"
#include "extension/engine/show_lists.h"
#include "extension/engine/show_model.h"
#include "extension/engine/show_trials.h"
#include "params/attribute.h"
#include "parser/refused.h"
#include "parser/statement.h"
#include "planner/attributes/attributes.h"
#include "planner/attributes/short_names.h"
#include "planner/plan/dialect.h"
#include "planner/plan_statement.h"

#define GUARDED_INPUTS_MAX 100 /* a function of SQLite takes 127 arguments */

static enum status parse(struct slice text, const struct piece *piece, struct arena *arena,
                         struct statement *statement, struct error *err)
{
    error_clear(err);
    if (piece)
        return parse_piece(text, piece, arena, statement, err);
    return parse_statement(text, arena, statement, err);
}

/* The columns that each statement returns; a statement with columns of its own has none here. */
struct fixed_columns {
    enum statement_kind kind;
    size_t count;
    const char *names[STORED_MODEL_COLUMNS];
};

static const struct fixed_columns fixed_columns[] = {
    {STATEMENT_TRAIN, TRAIN_COLUMNS, {"name", "value", "part", "detail"}},
    {STATEMENT_SHOW_MODEL, 2, {"name", "value"}},
    {STATEMENT_SHOW_MODELS,
     SHOW_MODELS_COLUMNS,
     {"name", "kind", "label", "rows", "metric", "value", "part", "age"}},
    {STATEMENT_SHOW_VERSIONS,
     VERSION_COLUMNS,
     {"version", "digest", "created_at", "state", "part", "metrics"}},
    {STATEMENT_SHOW_TRIALS,
     SHOW_TRIALS_COLUMNS,
     {"trial", "state", "metric", "value", "epochs", "settings", "error", "deviation"}},
    {STATEMENT_SHOW_JOBS,
     7,
     {"id", "state", "model", "started_at", "seconds", "statement", "error"}},
    {STATEMENT_SHOW_ATTRIBUTES, 4, {"name", "type", "default", "help"}},
    {STATEMENT_CANCEL_JOB, 2, {"job", "state"}},
    {STATEMENT_ROLLBACK_MODEL, 2, {"model", "version"}},
    {STATEMENT_EXPORT_MODEL, 3, {"model", "file", "bytes"}},
    {STATEMENT_IMPORT_MODEL, 2, {"model", "version"}},
    {STATEMENT_REPORT_MODEL, REPORT_MODEL_COLUMNS, {"model", "file", "bytes"}},
    {STATEMENT_DEFINE_MODEL, 2, {"definition", "version"}},
    {STATEMENT_DROP_DEFINITION, 2, {"definition", "state"}},
    {STATEMENT_EXPORT_DEFINITION, 3, {"definition", "file", "bytes"}},
    {STATEMENT_IMPORT_DEFINITION, 2, {"definition", "version"}},
    {STATEMENT_SHOW_DEFINITIONS,
     SHOW_DEFINITIONS_COLUMNS,
     {"name", "arguments", "version", "created_at", "digest"}},
    {STATEMENT_SHOW_DEFINITION, 2, {"name", "value"}},
};
static const struct fixed_columns full_models_columns = {
    STATEMENT_SHOW_MODELS,
    STORED_MODEL_COLUMNS,
    {"name", "version", "kind", "label", "rows", "metric", "value", "part", "created_at", "digest",
     "statement", "bytes", "kept_bytes"}};
static const struct fixed_columns explain_columns = {STATEMENT_TRAIN, 2, {"item", "detail"}};
static const struct fixed_columns target_columns = {
    STATEMENT_PREDICT, 3, {"table", "rows", "seconds"}};

static const struct fixed_columns detached_columns = {STATEMENT_PREDICT, 2, {"job", "table"}};

/* job.wait = false. A value that the planner will refuse does not matter. */
static bool is_detached(const struct statement *statement)
{
    const unsigned scope = statement->kind == STATEMENT_PREDICT ? SCOPE_PREDICT : SCOPE_EVALUATE;
    const struct attribute *wait = attribute_find(SLICE("job.wait"));

    for (size_t i = 0; i < statement->setting_count; i++) {
        const struct setting *setting = &statement->settings[i];

        if (attribute_find_written(setting->name.text, scope, NULL) == wait)
            return setting->value.kind == VALUE_BOOLEAN ? !setting->value.boolean
                                                        : setting->value.integer == 0;
    }
    return false;
}

static const struct fixed_columns *columns_of(const struct statement *statement)
{
    bool has_target = statement_predicts_into_table(statement) || statement_writes_rows(statement);

    if (statement->explain_plan)
        return &explain_columns;
    if (statement->is_full && statement->kind == STATEMENT_SHOW_MODELS)
        return &full_models_columns;
    if (has_target)
        return is_detached(statement) ? &detached_columns : &target_columns;
    for (size_t i = 0; i < sizeof fixed_columns / sizeof *fixed_columns; i++)
        if (fixed_columns[i].kind == statement->kind)
            return &fixed_columns[i];
    return NULL;
}

static enum status describe_fixed(const struct fixed_columns *fixed, struct arena *arena,
                                  struct description *description, struct error *err)
{
    description->count = fixed->count;
    description->columns = ARENA_NEW(arena, struct slice, fixed->count);
    if (!description->columns)
        return fail_no_memory(err);
    for (size_t i = 0; i < fixed->count; i++)
        description->columns[i] = slice_of(fixed->names[i]);
    return STATUS_OK;
}

/*
 * PREDICT without a target, and FORECAST, are queries of the host's. Clients hold prepared
 * statements for long: once a run, the guard checks that the model was not
 * replaced by one with other inputs, whose values would be mixed up.
 */
static void guard_query(const struct plan *plan, struct slice query, struct text *sql)
{
    struct text path;

    text_init(&path, TEXT_MAXIMUM);
    model_path_write(plan->model_schema, plan->model_name, &path);
    text_append_string(sql, "SELECT * FROM (");
    text_append(sql, query);
    text_append_string(sql, ") WHERE totrain_fits(");
    text_append_literal(sql, text_slice(&path));
    text_append_string(sql, ", ");
    text_append_literal(sql, plan->model.label);
    for (size_t i = 0; i < plan->model.input_count && i < GUARDED_INPUTS_MAX; i++) {
        text_append_string(sql, ", ");
        text_append_literal(sql, plan->model.inputs[i].name);
    }
    text_append_char(sql, ')');
    sql->failed = sql->failed || path.failed;
    text_deinit(&path);
}

static enum status describe_query(const struct plan *plan,
                                  enum status (*lower)(const struct plan *plan, struct text *sql,
                                                       struct error *err),
                                  struct arena *arena, struct description *description,
                                  struct error *err)
{
    struct text query, sql;
    enum status status;

    text_init(&query, TEXT_MAXIMUM);
    text_init(&sql, TEXT_MAXIMUM);
    status = lower(plan, &query, err);
    if (status == STATUS_OK) {
        if (dialect_of(plan->dialect)->takes_rows)
            text_append(&sql, text_slice(&query)); /* finds inputs by name, and runs once */
        else
            guard_query(plan, text_slice(&query), &sql);
        description->query = arena_copy(arena, text_slice(&sql));
        if (!description->query.data || sql.failed)
            status = fail_no_memory(err);
    }
    text_deinit(&query);
    text_deinit(&sql);
    return status;
}

static enum status describe_predict(const struct host *host, const struct plan *plan,
                                    struct arena *arena, struct description *description,
                                    struct error *err)
{
    struct plan *kept = ARENA_NEW(arena, struct plan, 1);
    struct score_choice choice;

    if (!kept)
        return fail_no_memory(err);
    score_choose(host, plan, &choice);
    if (choice.by_workers)
        return predict_columns(plan, arena, &description->columns, &description->count, err);
    *kept = *plan;
    description->plan = kept;
    return describe_query(plan, predict_query, arena, description, err);
}

static enum status describe_show_train(const struct plan *plan, struct arena *arena,
                                       struct description *description, struct error *err)
{
    description->columns = ARENA_NEW(arena, struct slice, SHOW_TRAIN_COLUMNS_MAX);
    if (!description->columns)
        return fail_no_memory(err);
    return show_train_columns(plan, arena, description->columns, &description->count, err);
}

enum status engine_describe(const struct host *host, struct slice text, const struct piece *piece,
                            struct arena *arena, struct description *description, struct error *err)
{
    struct statement statement;
    const struct fixed_columns *fixed;
    struct plan plan;

    *description = (struct description){0};
    TRY(parse(text, piece, arena, &statement, err));
    fixed = columns_of(&statement);
    description->select = statement.select;
    if (fixed)
        return describe_fixed(fixed, arena, description, err);
    TRY(plan_statement(&statement, text, &host->catalog, arena, &plan, err));
    switch (plan.kind) {
    case STATEMENT_PREDICT:
        return describe_predict(host, &plan, arena, description, err);
    case STATEMENT_EVALUATE:
        return evaluate_columns(&plan, arena, &description->columns, &description->count, err);
    case STATEMENT_EXPLAIN:
        return explain_model_columns(&plan, arena, &description->columns, &description->count, err);
    case STATEMENT_FORECAST:
        return describe_query(&plan, lower_forecast, arena, description, err);
    case STATEMENT_SHOW_TRAIN:
        return describe_show_train(&plan, arena, description, err);
    case STATEMENT_SQL:
        description->query = plan.text;
        return STATUS_OK;
    default:
        return fail_at(err, STATUS_UNSUPPORTED, statement.verb_position, "%s is not supported yet",
                       statement_kind_name(plan.kind));
    }
}

enum status engine_cluster_request(const struct host *host, struct slice text,
                                   const struct piece *piece, struct arena *arena,
                                   struct cluster_request *request, bool *is_wanted,
                                   struct error *err)
{
    struct statement statement;
    struct plan plan;

    TRY(parse(text, piece, arena, &statement, err));
    TRY(plan_statement(&statement, text, &host->catalog, arena, &plan, err));
    *is_wanted = plan.cluster.is_wanted && !plan.explain_only;
    return *is_wanted ? cluster_check(host, &plan, arena, request, err) : STATUS_OK;
}

static enum status rollback_run(const struct host *host, const struct plan *plan,
                                const struct sink *sink, struct error *err)
{
    int64_t restored = 0;

    enum status status = host->models->restore(host->self, plan->model_schema, plan->model_name,
                                               plan->version, &restored, err);

    if (status != STATUS_OK)
        return status == STATUS_NOT_FOUND ? error_place(err, plan->object_position) : status;
    return sink_row(sink, (struct cell[]){cell_text(plan->model_name), cell_integer(restored)}, 2,
                    err);
}

static enum status cancel_run(const struct host *host, const struct plan *plan,
                              const struct sink *sink, struct error *err)
{
    if (job_end(host, plan->job, err) != STATUS_OK)
        return error_place(err, plan->object_position);
    return sink_row(sink, (struct cell[]){cell_integer(plan->job), cell_string("cancelled")}, 2,
                    err);
}

static enum status sql_run(const struct host *host, const struct plan *plan,
                           const struct sink *sink, struct error *err)
{
    const enum status status = host->rows->query(host->self, plan->text, sink, err);

    if (status == STATUS_SYNTAX && !err->hint[0])
        (void)refused_hint(plan->text, err->position, err);
    if (status != STATUS_OK)
        (void)refused_missing_hint(plan->text, err);
    return status;
}

static enum status run_plan(const struct host *host, const struct train_request *request,
                            struct arena *arena, const struct sink *sink, struct error *err)
{
    const struct plan *plan = request->plan;

    if (plan->explain_only)
        return explain_run(host, plan, arena, sink, err);
    switch (plan->kind) {
    case STATEMENT_SQL:
        return sql_run(host, plan, sink, err);
    case STATEMENT_TRAIN:
        return train_run(host, request, arena, sink, err);
    case STATEMENT_PREDICT:
    case STATEMENT_EVALUATE:
        return score_run(host, plan, arena, sink, err);
    case STATEMENT_EXPLAIN:
        return explain_model_run(host, plan, arena, sink, err);
    case STATEMENT_FORECAST:
        return forecast_statement_run(host, plan, sink, err);
    case STATEMENT_SHOW_TRAIN:
        return show_train_run(host, plan, arena, sink, err);
    case STATEMENT_SHOW_MODEL:
        return show_model_run(host, plan, arena, sink, err);
    case STATEMENT_SHOW_MODELS:
        return show_models_run(host, plan->is_full, sink, err);
    case STATEMENT_SHOW_VERSIONS:
        return host->models->list_versions(host->self, plan->model_schema, plan->model_name, sink,
                                           err);
    case STATEMENT_SHOW_TRIALS:
        return show_trials_run(host, plan, arena, sink, err);
    case STATEMENT_SHOW_JOBS:
        return show_jobs_run(host, plan->is_full, sink, err);
    case STATEMENT_SHOW_ATTRIBUTES:
        return show_attributes_run(plan, sink, err);
    case STATEMENT_CANCEL_JOB:
        return cancel_run(host, plan, sink, err);
    case STATEMENT_ROLLBACK_MODEL:
        return rollback_run(host, plan, sink, err);
    case STATEMENT_EXPORT_MODEL:
        return export_run(host, plan, sink, err);
    case STATEMENT_IMPORT_MODEL:
        return import_run(host, plan, sink, err);
    case STATEMENT_REPORT_MODEL:
        return report_run(host, plan, sink, err);
    case STATEMENT_DEFINE_MODEL:
        return define_run(host, plan, sink, err);
    case STATEMENT_DROP_DEFINITION:
        return drop_definition_run(host, plan, sink, err);
    case STATEMENT_EXPORT_DEFINITION:
        return export_definition_run(host, plan, sink, err);
    case STATEMENT_IMPORT_DEFINITION:
        return import_definition_run(host, plan, sink, err);
    case STATEMENT_SHOW_DEFINITIONS:
        return show_definitions_run(host, sink, err);
    case STATEMENT_SHOW_DEFINITION:
        return show_definition_run(plan, sink, err);
    default:
        return fail(err, STATUS_UNSUPPORTED, "%s is not supported yet",
                    statement_kind_name(plan->kind));
    }
}

/* Facts that only the rows could tell are shown where the statement speaks of them. */
static enum status place_rows(const struct statement *statement, struct error *err)
{
    static const char label[] = "label column ";

    if (err->status != STATUS_INVALID || statement->select_position < 0)
        return err->status;
    if (statement->label.position >= 0 && strncmp(err->message, label, strlen(label)) == 0)
        return error_place(err, statement->label.position);
    return error_place(err, statement->select_position);
}

static enum status run_in(const struct host *host, struct slice text, const struct piece *piece,
                          struct arena *arena, const struct sink *sink, struct error *err)
{
    struct statement statement;
    struct description description;
    const struct fixed_columns *fixed;
    struct plan plan;

    TRY(parse(text, piece, arena, &statement, err));
    TRY(plan_statement(&statement, text, &host->catalog, arena, &plan, err));
    fixed = columns_of(&statement);
    if (fixed) {
        TRY(describe_fixed(fixed, arena, &description, err));
        TRY(sink_columns(sink, description.columns, description.count, err));
    }
    if (run_plan(host, &(struct train_request){&plan, &statement, text}, arena, sink, err) !=
        STATUS_OK)
        return place_rows(&statement, err);
    return STATUS_OK;
}

enum status engine_run(const struct host *host, struct slice text, const struct piece *piece,
                       const struct sink *sink, struct error *err)
{
    struct arena arena;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    status = run_in(host, text, piece, &arena, sink, err);
    arena_deinit(&arena);
    return status;
}
