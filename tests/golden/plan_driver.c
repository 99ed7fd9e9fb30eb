/*
 * plan_driver.c - what the planner and codegen make of the statements of a topic, for people to
 * read.
 *
 *     plan_driver TOPIC [NAME...]     all of them, or those of these names
 *
 *     === train_iris
 *     --- plan
 *     model     DNNClassifier ...     EXPLAIN's text; for PREDICT its SQL
 *     --- job
 *     { ...                           the job spec of a statement that makes a job
 *     --- error
 *     ERROR:  ...                     with its caret, where the statement is wrong
 *     --- exit
 *     2                               the exit code of a program with this outcome
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/lower_predict.h"
#include "codegen/lower_score.h"
#include "codegen/lower_train.h"
#include "jobspec/jobspec.h"
#include "jobspec/jobspec_write.h"
#include "parser/parser.h"
#include "planner/explain/explain.h"
#include "planner/plan/plan.h"
#include "planner/plan_statement.h"
#include "scoring/kind.h"
#include "tests/unit/described_catalog.h"
#include "tests/unit/golden_topic.h"

static void print_columns(const struct plan *plan)
{
    for (size_t i = 0; plan->model_columns && i < plan->model.input_count; i++)
        printf("%-38s%.*s, column %d of the query\n", "input",
               SLICE_FORMAT(plan->model.inputs[i].name), plan->model_columns[i] + 1);
    if (plan->label_column >= 0)
        printf("%-38s%.*s, column %d of the query\n", "label", SLICE_FORMAT(plan->label),
               plan->label_column + 1);
}

static enum status print_train(const struct plan *plan, struct arena *arena, struct error *err)
{
    struct plan_line *lines;
    size_t count;

    TRY(plan_explain(plan, 0, NULL, arena, &lines, &count, err));
    for (size_t i = 0; i < count; i++) {
        printf("%-38.*s", SLICE_FORMAT(lines[i].item));
        printf("%.*s\n", SLICE_FORMAT(lines[i].detail));
    }
    return STATUS_OK;
}

static enum status print_quarantine(const struct plan *plan, struct error *err)
{
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    status = lower_predict_stage(plan, &sql, err);
    text_append_string(&sql, ";\n");
    if (status == STATUS_OK)
        status = lower_quarantine_table(plan, &sql, err);
    text_append_string(&sql, ";\n");
    if (status == STATUS_OK)
        status = lower_quarantine(plan, &sql, err);
    if (status == STATUS_OK)
        printf("%s;\n", text_string(&sql));
    text_deinit(&sql);
    return status;
}

static enum status print_predict(const struct plan *plan, struct error *err)
{
    enum status status = STATUS_OK;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    if (plan->quarantine_table.size > 0)
        TRY(print_quarantine(plan, err));
    if (plan->has_target) {
        status = lower_predict_table(plan, &sql, err);
        text_append_string(&sql, ";\n");
    }
    if (status == STATUS_OK)
        status = lower_predict(plan, &sql, err);
    if (status == STATUS_OK)
        printf("%s;\n", text_string(&sql));
    text_deinit(&sql);
    return status;
}

static void print_name(const char *what, struct slice schema, struct slice name)
{
    if (name.size == 0)
        return;
    printf("%-38s", what);
    if (schema.size > 0)
        printf("%.*s.", SLICE_FORMAT(schema));
    printf("%.*s\n", SLICE_FORMAT(name));
}

static void print_other(const struct plan *plan)
{
    static const char *const pictures[] = {"", " as bars", " as dots", " as points"};
    const struct slice none = {NULL, 0};

    printf("%-38s%s\n", "statement", statement_kind_name(plan->kind));
    print_name("model", plan->model_schema, plan->model_name);
    if (plan->inside)
        print_name("inside", none, slice_of(plan->inside->name));
    else
        print_columns(plan);
    print_name("target", plan->target_schema, plan->target_table);
    if (plan->explain_by_shap || plan->explain_picture != PICTURE_NONE)
        printf("%-38s%s%s%s of %u inputs\n", "explanation",
               plan->explain_by_shap ? "SHAP values" : "", pictures[plan->explain_picture],
               plan->explain_sorted ? ", sorted," : "", plan->explain_inputs_max);
    if (plan->explain_by_dependence)
        printf("%-38s%u points of %.*s%s\n", "partial dependence", plan->explain_points,
               SLICE_FORMAT(plan->explain_columns.size > 0 ? plan->explain_columns
                                                           : SLICE("all columns")),
               plan->explain_individual ? ", and of each row" : "");
    for (size_t i = 0; i < plan->metric_count; i++)
        print_name("metric", none, plan->metrics[i]);
    if (plan->bootstrap.level > 0)
        printf("%-38s%g of %u resamples, seed %llu\n", "intervals", plan->bootstrap.level,
               plan->bootstrap.resamples, (unsigned long long)plan->bootstrap.seed);
    print_name("into", plan->into_schema, plan->into_name);
    print_name("file", none, plan->file);
    print_name("format", none, plan->format);
    print_name("version", none, plan->version);
    print_name("job", none, plan->job_text);
    print_name("attributes for", none, plan->attributes_for);
}

/* Leaves out the facts about rows and machine that are known when the statement runs. */
static enum status lower_score_of_no_rows(const struct plan *plan, struct arena *arena,
                                          struct jobspec *spec, struct error *err)
{
    TRY(lower_score(plan, arena, spec, err));
    spec->family = SLICE("network");
    spec->scoring.shard_rows = 1;
    if (spec->max_workers == 0)
        spec->max_workers = spec->min_workers;
    return STATUS_OK;
}

static enum status print_job(const struct plan *plan, struct arena *arena, struct error *err)
{
    struct jobspec spec;
    struct text json;
    enum status status = STATUS_OK;

    if (plan->explain_only || (plan->kind != STATEMENT_TRAIN && !plan->scoring.on_workers))
        return STATUS_OK;
    text_init(&json, TEXT_MAXIMUM);
    if (plan->kind == STATEMENT_TRAIN)
        status = lower_train(plan, arena, &spec, err);
    else
        status = lower_score_of_no_rows(plan, arena, &spec, err);
    if (status == STATUS_OK)
        status = jobspec_write(&spec, &json, err);
    if (status == STATUS_OK)
        printf("%s\n", text_string(&json));
    text_deinit(&json);
    return status;
}

static enum status print_plan(const struct plan *plan, struct arena *arena, struct error *err)
{
    if (plan->kind == STATEMENT_TRAIN || plan->explain_only)
        return print_train(plan, arena, err);
    if (plan->kind == STATEMENT_PREDICT)
        return print_predict(plan, err);
    print_other(plan);
    return STATUS_OK;
}

static enum status run(struct slice sql, const struct catalog *catalog, struct arena *arena,
                       struct error *err)
{
    struct statement statement;
    struct plan plan;

    TRY(parse_statement(sql, arena, &statement, err));
    TRY(plan_statement(&statement, sql, catalog, arena, &plan, err));
    printf("--- plan\n");
    TRY(print_plan(&plan, arena, err));
    printf("--- job\n");
    return print_job(&plan, arena, err);
}

static void run_case(const struct golden_case *now)
{
    struct described_catalog described;
    const size_t start = described_catalog_read(&described, now->text);
    const struct slice sql = {now->text.data + start, now->text.size - start};
    struct arena arena;
    struct error err;
    struct text shown;
    enum status status;

    printf("=== %.*s\n", SLICE_FORMAT(now->name));
    fflush(stdout);
    arena_init(&arena, ARENA_MAXIMUM);
    error_clear(&err);
    status = run(sql, &described.catalog, &arena, &err);
    if (status != STATUS_OK) {
        text_init(&shown, TEXT_MAXIMUM);
        error_render(&err, sql, &shown);
        printf("--- error\n%s", text_string(&shown));
        text_deinit(&shown);
    }
    printf("--- exit\n%d\n", status_exit_code(status));
    arena_deinit(&arena);
}

static bool is_wanted(struct slice name, char **names, int count)
{
    for (int i = 0; i < count; i++)
        if (slice_is(name, names[i]))
            return true;
    return count == 0;
}

int main(int argc, char **argv)
{
    struct golden_topic topic;
    struct golden_case now;

    if (argc < 2)
        return 1;
    topic = golden_topic_read(argv[1]);
    while (golden_topic_next(&topic, &now))
        if (is_wanted(now.name, argv + 2, argc - 2))
            run_case(&now);
    return 0;
}
