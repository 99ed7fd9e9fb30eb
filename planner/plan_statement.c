#include <string.h>

#include "planner/plan/definitions.h"
#include "planner/plan/model_room.h"
#include "planner/plan/planning.h"
#include "planner/plan/query.h"
#include "planner/plan/targets.h"
#include "planner/plan_forecast.h"
#include "planner/plan_predict.h"
#include "planner/plan_statement.h"
#include "planner/plan_train.h"

static enum status plan_show_attributes(struct planning *planning)
{
    const struct name *model = &planning->statement->model;
    struct plan *plan = planning->plan;

    if (model->text.size == 0)
        return STATUS_OK;
    if (slice_is_fold(model->text, "AUTO")) {
        fail_at(planning->err, STATUS_INVALID, model->position,
                "AUTO tries models of several kinds, each with attributes of its own");
        return error_hint(planning->err, "SHOW ATTRIBUTES FOR XGBClassifier; lists those of one of "
                                         "them. AUTO draws their values itself, and accepts "
                                         "tune.* and the train.* that all of them have.");
    }
    TRY(estimator_find(model, &plan->estimator, planning->err));
    if (definition_is_name(model->text))
        TRY(definition_find(planning));
    plan->attributes_for =
        plan->definition ? plan->definition->name.name : slice_of(plan->estimator->name);
    return STATUS_OK;
}

/* The statement's number as written; INVALID when it cannot be `what`. */
static enum status plan_cancel(struct planning *planning)
{
    const struct value *number = &planning->statement->number;
    struct plan *plan = planning->plan;

    plan->object_position = number->span.start;
    TRY(slice_keep(planning, number->text, &plan->job_text));
    if (slice_to_integer(plan->job_text, &plan->job) && plan->job > 0)
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, number->span.start,
            "a job has a whole number from 1 up, not %.*s", SLICE_FORMAT(plan->job_text));
    return error_hint(planning->err, "SHOW JOBS; lists the jobs.");
}

/* A number from 1 up, or the beginning of a digest. */
static bool is_version(struct slice text)
{
    int64_t number;

    if (text.size <= 18 && slice_to_integer(text, &number))
        return number > 0;
    if (text.size < 4 || text.size > 64)
        return false;
    for (size_t i = 0; i < text.size; i++)
        if (!memchr("0123456789abcdefABCDEF", text.data[i], 22))
            return false;
    return true;
}

static enum status plan_rollback(struct planning *planning)
{
    const struct value *version = &planning->statement->number;
    struct plan *plan = planning->plan;

    plan->object_position = version->span.start;
    TRY(slice_keep(planning, version->text, &plan->version));
    if (!is_version(plan->version)) {
        fail_at(planning->err, STATUS_INVALID, version->span.start,
                "a version is a number from 1 up or the first 4 to 64 digits of a digest, not "
                "\"%.*s\"",
                SLICE_FORMAT(plan->version));
        return error_hint(planning->err, "SHOW VERSIONS %.*s; lists both.",
                          SLICE_FORMAT(path_last(&planning->statement->object).text));
    }
    return model_find(planning);
}

/* Which formats there are, who writes and reads them knows (interop/exchange.h). */
static enum status plan_file(struct planning *planning)
{
    const struct statement *statement = planning->statement;
    struct plan *plan = planning->plan;

    if (statement->file.size == 0 || memchr(statement->file.data, '\0', statement->file.size))
        return fail_at(planning->err, STATUS_INVALID, statement->file_position,
                       "the name of the file is %s",
                       statement->file.size == 0 ? "empty" : "no text");
    plan->file_position = statement->file_position;
    plan->format_position = statement->format.position;
    TRY(slice_keep(planning, statement->file, &plan->file));
    return slice_keep(planning, statement->format.text, &plan->format);
}

static enum status refuse_later(const struct planning *planning)
{
    const struct statement *statement = planning->statement;
    enum statement_kind kind = statement->kind;
    const char *verb = kind == STATEMENT_RUN ? "TO RUN"
                       : statement->maximize ? "TO MAXIMIZE"
                                             : "TO MINIMIZE";

    fail_at(planning->err, STATUS_UNSUPPORTED, statement->verb_position, "%s is not supported yet",
            verb);
    return error_hint(planning->err,
                      "A %s outside reads the rows of the SELECT, and writes a table.",
                      kind == STATEMENT_RUN ? "program" : "solver");
}

static enum status dispatch(struct planning *planning)
{
    switch (planning->statement->kind) {
    case STATEMENT_TRAIN:
        return plan_train(planning);
    case STATEMENT_PREDICT:
        return plan_predict(planning);
    case STATEMENT_EVALUATE:
        return plan_evaluate(planning);
    case STATEMENT_FORECAST:
        return plan_forecast(planning);
    case STATEMENT_SHOW_TRAIN:
    case STATEMENT_SHOW_MODEL:
    case STATEMENT_SHOW_VERSIONS:
    case STATEMENT_SHOW_TRIALS:
        return model_find(planning);
    case STATEMENT_SHOW_ATTRIBUTES:
        return plan_show_attributes(planning);
    case STATEMENT_CANCEL_JOB:
        return plan_cancel(planning);
    case STATEMENT_ROLLBACK_MODEL:
        return plan_rollback(planning);
    case STATEMENT_EXPLAIN:
        return plan_explain_model(planning);
    case STATEMENT_RUN:
    case STATEMENT_OPTIMIZE:
        return refuse_later(planning);
    case STATEMENT_EXPORT_MODEL:
        TRY(plan_file(planning));
        planning->plan->object_position = path_last(&planning->statement->object).position;
        TRY(model_find(planning));
        return model_room_need(planning);
    case STATEMENT_REPORT_MODEL:
        TRY(plan_file(planning));
        planning->plan->object_position = path_last(&planning->statement->object).position;
        return model_find(planning);
    case STATEMENT_IMPORT_MODEL:
        TRY(plan_file(planning));
        return target_plan(planning, &planning->statement->into, &planning->plan->into_schema,
                           &planning->plan->into_name);
    case STATEMENT_DEFINE_MODEL:
        return definition_plan_define(planning);
    case STATEMENT_SHOW_DEFINITION:
        return definition_plan_show(planning);
    case STATEMENT_DROP_DEFINITION:
        return definition_plan_drop(planning);
    case STATEMENT_EXPORT_DEFINITION:
        TRY(plan_file(planning));
        return definition_plan_show(planning);
    case STATEMENT_IMPORT_DEFINITION:
        TRY(plan_file(planning));
        return definition_plan_import(planning);
    case STATEMENT_SHOW_DEFINITIONS:
    case STATEMENT_SQL: /* the host's own: the select is the whole of it */
    case STATEMENT_SHOW_MODELS:
    case STATEMENT_SHOW_JOBS:
        break;
    }
    return STATUS_OK;
}

static struct slice slice_of_span(struct slice text, struct span span)
{
    if (span.start < 0 || span.end < span.start || (size_t)span.end > text.size)
        return (struct slice){"", 0};
    return (struct slice){text.data + span.start, (size_t)(span.end - span.start)};
}

enum status plan_statement(const struct statement *statement, struct slice text,
                           const struct catalog *catalog, struct arena *arena, struct plan *plan,
                           struct error *err)
{
    struct planning planning = {.statement = statement,
                                .catalog = catalog,
                                .arena = arena,
                                .program = text,
                                .plan = plan,
                                .err = err};

    *plan = (struct plan){.kind = statement->kind,
                          .dialect = catalog->dialect,
                          .explain_only = statement->explain_plan,
                          .is_full = statement->is_full,
                          .label_column = -1,
                          .checked_column = -1,
                          .group_column = -1,
                          .upper_column = -1,
                          .object_position = -1};
    if (statement->explain_plan && statement->kind != STATEMENT_TRAIN &&
        statement->kind != STATEMENT_PREDICT && statement->kind != STATEMENT_EVALUATE)
        return fail_at(err, STATUS_UNSUPPORTED, statement->verb_position,
                       "EXPLAIN of TO %s is not supported yet",
                       statement_kind_name(statement->kind));
    plan->notices = ARENA_NEW(arena, struct notice_list, 1);
    if (!plan->notices)
        return fail_no_memory(err);
    TRY(slice_keep(&planning, slice_of_span(text, statement->span), &plan->text));
    TRY(slice_keep(&planning, statement->select, &plan->select));
    return dispatch(&planning);
}
