#include "planner/plan_train.h"

#include <stdio.h>
#include <string.h>

#include "parser/parser.h"
#include "parser/splitter.h"
#include "planner/columns/column_calls.h"
#include "planner/columns/columns.h"
#include "planner/columns/label.h"
#include "planner/columns/offset.h"
#include "planner/columns/old_model.h"
#include "planner/columns/roles.h"
#include "planner/forecast/series_columns.h"
#include "planner/notices/input_notices.h"
#include "planner/plan/bad_rows.h"
#include "planner/plan/parameters.h"
#include "planner/plan/planning.h"
#include "planner/plan/query.h"
#include "planner/plan/settings.h"
#include "planner/plan/targets.h"
#include "planner/settings_read.h"
#include "planner/training/auto_kinds.h"
#include "planner/training/cluster.h"
#include "planner/training/constraints.h"
#include "planner/training/definition_train.h"
#include "planner/training/folds.h"
#include "planner/training/log_folder.h"
#include "planner/training/metrics_address.h"
#include "planner/training/requirement.h"
#include "planner/training/search.h"
#include "planner/training/servers.h"
#include "planner/training/task_choice.h"
#include "planner/training/training.h"

/* Databases prepare the first statement of a text and pass over the rest. */
static enum status check_single(const struct setting *setting, struct slice *select,
                                struct error *err)
{
    const struct value *value = &setting->value;
    struct piece piece = split_piece(value->text, 0), rest;

    if (piece.kind == PIECE_OURS)
        return fail_at(err, STATUS_INVALID, value->span.start,
                       "validation.select accepts a SELECT without TO");
    rest = split_piece(value->text, piece.next);
    if (rest.kind != PIECE_EMPTY || rest.terminated)
        return fail_at(err, STATUS_INVALID, setting_place(setting, rest.span.start),
                       "validation.select accepts one SELECT, and something follows it");
    select->data = value->text.data + piece.span.start;
    select->size = (size_t)(piece.span.end - piece.span.start);
    return STATUS_OK;
}

/* "near ..." becomes "validation.select: near ...", at its place in the string. */
static enum status name_value(const struct setting *setting, int select_start, struct error *err)
{
    char message[sizeof err->message];
    int position = err->position < 0 ? -1 : select_start + err->position;

    snprintf(message, sizeof message, "validation.select: %.400s", err->message);
    memcpy(err->message, message, sizeof message);
    err->position = setting_place(setting, position);
    return err->status;
}

static enum status describe_validation(struct planning *planning, const struct setting *setting,
                                       struct query *query)
{
    const struct catalog *catalog = planning->catalog;
    struct plan *plan = planning->plan;
    struct slice select;

    TRY(check_single(setting, &select, planning->err));
    TRY(slice_keep(planning, select, &plan->validation_select));
    if (catalog->describe(catalog->self, select, planning->arena, query, planning->err) !=
        STATUS_OK)
        return name_value(setting, (int)(select.data - setting->value.text.data), planning->err);
    TRY(query_keep(planning, query));
    TRY(query_take_parts(query, &plan->query, planning->arena, planning->err));
    return query_add_elements(query, planning->arena, planning->err);
}

static enum status find_validation_column(struct planning *planning, const struct query *query,
                                          struct slice name, int position, int *column)
{
    struct error *err = planning->err;

    *column = query_find_input(query, name);
    if (*column >= 0)
        return STATUS_OK;
    fail_at(err, STATUS_INVALID, position, "validation.select has %s column \"%.*s\"",
            *column == -1 ? "no" : "more than one", SLICE_FORMAT(name));
    return error_hint(err, "It must return the columns of the training rows, by name.");
}

static enum status find_validation_input(struct planning *planning, const struct query *query,
                                         const struct plan_input *input, int position, int *column)
{
    for (uint32_t i = 0; input->spec.cross && i < input->spec.cross->count; i++)
        TRY(find_validation_column(planning, query, input->spec.cross->columns[i].name, position,
                                   column));
    return find_validation_column(planning, query, plan_input_read(input), position, column);
}

static enum status validation_plan(struct planning *planning)
{
    const struct setting *setting = settings_find(planning, "validation.select");
    struct plan *plan = planning->plan;
    size_t n = plan->input_count;
    struct query query = {0};

    if (!setting)
        return STATUS_OK;
    TRY(describe_validation(planning, setting, &query));
    plan->validation_columns = ARENA_NEW(planning->arena, int, plan->input_count + 1 + ROW_ROLES);
    if (!plan->validation_columns)
        return fail_no_memory(planning->err);
    for (size_t i = 0; i < plan->input_count; i++)
        TRY(find_validation_input(planning, &query, &plan->inputs[i], setting->value.span.start,
                                  &plan->validation_columns[i]));
    if (plan->label_column >= 0)
        TRY(find_validation_column(planning, &query, plan->label, setting->value.span.start,
                                   &plan->validation_columns[n++]));
    for (size_t i = 0; i < plan->role_count; i++)
        TRY(find_validation_column(planning, &query, plan->roles[i].name, setting->value.span.start,
                                   &plan->validation_columns[n++]));
    return STATUS_OK;
}

static enum status refuse_text(const struct planning *planning, const struct plan_input *input)
{
    const struct plan *plan = planning->plan;

    if (input->spec.list.form) {
        fail_at(planning->err, STATUS_INVALID, planning->statement->select_position,
                "\"%.*s\" is a category of several values, and %s takes one of each column",
                SLICE_FORMAT(input->spec.name), plan->estimator->name);
        return error_hint(planning->err, "SPARSE(%s, n) takes each of n ids as a number.",
                          SQL_NAME(input->spec.source));
    }
    fail_at(planning->err, STATUS_INVALID, planning->statement->select_position,
            "column \"%.*s\" is a text, and %s accepts numbers, categories and dates",
            SLICE_FORMAT(input->spec.name), plan->estimator->name);
    return error_hint(planning->err,
                      "COLUMN VOCABULARY(%s) reads each text as one word; %s learns from the "
                      "words of texts.",
                      SQL_NAME(input->spec.name),
                      plan->estimator->task == TASK_REGRESSION ? "LinearRegressor"
                                                               : "LinearClassifier");
}

/* Makes categories of numbers, where the kind takes numbers in buckets. */
static void make_buckets(struct plan *plan)
{
    const struct kind *kind = plan->estimator->kind;

    for (size_t i = 0; kind->buckets && i < plan->input_count; i++) {
        struct plan_input *input = &plan->inputs[i];

        if (input->spec.type != INPUT_NUMERIC || input_shares(&input->spec) || input->spec.offset)
            continue;
        input->spec.type = INPUT_CATEGORY;
        input->spec.rule = RULE_BUCKET;
        input->spec.source = input->spec.name;
        input->spec.vocabulary_max = kind->buckets(&plan->spec.params);
        input->spec.keeps_codes = false;
    }
}

/* The number is one of several that its column's cell gives. */
static enum status refuse_number(const struct planning *planning, const struct plan_input *input)
{
    fail_at(planning->err, STATUS_INVALID, planning->statement->select_position,
            "\"%.*s\" is a number, and %s makes no buckets from it", SLICE_FORMAT(input->spec.name),
            planning->plan->estimator->name);
    if (!input->spec.part)
        return error_hint(planning->err,
                          "Make a column of each number of the list that the model should take, in "
                          "the SELECT.");
    return error_hint(planning->err,
                      "Take other parts of the date, COLUMN DATE(%.*s, 'month', 'weekday'), or "
                      "convert it to a number in the SELECT.",
                      SLICE_FORMAT(input->spec.source));
}

/* Refuses columns that the kind of model cannot take. */
static enum status check_inputs(const struct planning *planning)
{
    const struct plan *plan = planning->plan;
    const struct kind *kind = plan->estimator->kind;

    for (size_t i = 0; kind->takes_no_texts && i < plan->input_count; i++)
        if (plan->inputs[i].spec.type == INPUT_TEXT &&
            !(kind->counts_terms && plan->inputs[i].spec.weight))
            return refuse_text(planning, &plan->inputs[i]);
    for (size_t i = 0; kind->buckets && i < plan->input_count; i++)
        if (plan->inputs[i].spec.type == INPUT_NUMERIC)
            return refuse_number(planning, &plan->inputs[i]);
    return STATUS_OK;
}

static enum status settle_inputs(const struct planning *planning)
{
    struct plan *plan = planning->plan;
    const struct kind *kind = plan->estimator->kind;
    const struct kind_shape shape = shape_of(plan);

    if (kind->settle_inputs)
        kind->settle_inputs(&plan->spec.params, &shape);
    if (!kind->check_inputs ||
        kind->check_inputs(&plan->spec.params, &shape, planning->err) == STATUS_OK)
        return STATUS_OK;
    planning->err->position = planning->statement->select_position;
    return planning->err->status;
}

/* A statement whose estimator is known, and whose values are one each. */
static enum status plan_one(struct planning *planning)
{
    const struct statement *statement = planning->statement;
    struct plan *plan = planning->plan;

    TRY(settings_read(planning, SCOPE_TRAIN));
    TRY(old_model_find(planning));
    TRY(task_choose(planning));
    TRY(training_plan(planning));
    TRY(target_plan(planning, &statement->into, &plan->into_schema, &plan->into_name));
    TRY(cluster_plan(planning));
    TRY(cluster_plan_reading(planning));
    TRY(folds_check_job(planning));
    TRY(servers_check_job(planning));
    if (!plan->wait)
        TRY(file_plan(planning, plan->into_schema, plan->into_name));
    TRY(metrics_address_plan(planning, &plan->spec.metrics_host, &plan->spec.metrics_port));
    TRY(log_folder_plan(planning));
    TRY(bad_rows_plan(planning, "train.bad_rows"));
    TRY(query_describe(planning));
    TRY(bad_rows_check(planning, "train.bad_rows"));
    TRY(label_plan(planning));
    TRY(roles_plan(planning));
    TRY(offset_plan(planning));
    TRY(old_model_check(planning));
    TRY(series_columns_plan(planning));
    TRY(columns_plan(planning));
    series_columns_order(planning);
    make_buckets(plan);
    TRY(check_inputs(planning));
    TRY(constraints_plan(planning));
    TRY(old_model_order(planning));
    TRY(definition_make_graph(planning));
    TRY(settle_inputs(planning));
    TRY(input_notices(plan, planning->err));
    label_unit_notice(plan);
    if (plan->explain_only)
        label_notice(plan);
    roles_notices(plan);
    offset_notice(plan);
    TRY(servers_choose(planning));
    TRY(parameters_check(planning));
    search_notice(plan);
    TRY(validation_plan(planning));
    return requirement_plan(planning);
}

enum status plan_train(struct planning *planning)
{
    const struct statement *whole;

    TRY(column_calls_settle(planning));
    whole = planning->statement;
    if (auto_is_named(whole)) {
        TRY(search_plan_auto(planning));
    } else {
        TRY(estimator_choose(planning));
        TRY(search_plan(planning));
    }
    TRY(plan_one(planning));
    return search_plan_others(planning, whole, plan_one);
}
