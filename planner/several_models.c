#include "planner/several_models.h"

#include <string.h>

#include "planner/judging.h"
#include "planner/plan/model_room.h"
#include "planner/plan/model_words.h"
#include "planner/plan/settings.h"
#include "planner/plan_predict.h"

/* The statement as if its i-th other model was the only one. */
static enum status begin_other(const struct planning *planning, size_t i, struct planning *other)
{
    const struct plan *first = planning->plan;
    struct statement *statement = ARENA_NEW(planning->arena, struct statement, 1);
    struct plan *plan = ARENA_NEW(planning->arena, struct plan, 1);
    struct notice_list *notices = ARENA_NEW(planning->arena, struct notice_list, 1);

    if (!statement || !plan || !notices)
        return fail_no_memory(planning->err);
    *statement = *planning->statement;
    statement->object = statement->others[i];
    statement->others = NULL;
    statement->other_count = 0;
    *plan = (struct plan){.kind = first->kind,
                          .dialect = first->dialect,
                          .explain_only = first->explain_only,
                          .label_column = -1,
                          .checked_column = -1,
                          .group_column = -1,
                          .upper_column = -1,
                          .object_position = -1,
                          .text = first->text,
                          .select = first->select,
                          .notices = notices};
    *other = (struct planning){.statement = statement,
                               .catalog = planning->catalog,
                               .arena = planning->arena,
                               .plan = plan,
                               .err = planning->err};
    return STATUS_OK;
}

static enum status name_model(struct planning *planning)
{
    struct plan *plan = planning->plan;

    plan->called = plan->model_schema.size == 0 ? plan->model_name
                                                : arena_printf(planning->arena, "%.*s.%.*s",
                                                               SLICE_FORMAT(plan->model_schema),
                                                               SLICE_FORMAT(plan->model_name));
    return plan->called.data ? STATUS_OK : fail_no_memory(planning->err);
}

static int position_of(const struct planning *planning)
{
    return path_last(&planning->statement->object).position;
}

static bool is_same_class(const struct cell *a, const struct cell *b)
{
    if (a->type != b->type)
        return false;
    if (a->type == CELL_TEXT)
        return slice_equal(a->text, b->text);
    return a->type == CELL_INTEGER ? a->integer == b->integer : a->real == b->real;
}

/* Precision, recall and F1 are of the positive class. */
static bool is_other_positive(const struct model_summary *a, const struct model_summary *b)
{
    return a->class_count == 2 && b->class_count == 2 &&
           !is_same_class(&a->classes[a->positive], &b->classes[b->positive]);
}

static enum status check_other(const struct plan *first, const struct planning *other)
{
    const struct plan *plan = other->plan;
    struct error *err = other->err;

    if (plan->model.task != first->model.task) {
        fail_at(err, STATUS_INVALID, position_of(other),
                "model %.*s is a %s, and model %.*s is a %s", SLICE_FORMAT(plan->called),
                model_word(plan->model.kind, plan->model.task), SLICE_FORMAT(first->called),
                model_word(first->model.kind, first->model.task));
        return error_hint(err,
                          "Models of one TO EVALUATE have metrics in common: measure %.*s by "
                          "itself.",
                          SLICE_FORMAT(plan->called));
    }
    if (!slice_equal_fold(plan->label, first->label)) {
        fail_at(err, STATUS_INVALID, position_of(other),
                "the label of model %.*s is %.*s, and that of model %.*s is %.*s",
                SLICE_FORMAT(plan->called), SLICE_FORMAT(plan->label), SLICE_FORMAT(first->called),
                SLICE_FORMAT(first->label));
        return error_hint(err, "LABEL names the column that both are measured by.");
    }
    if (!is_other_positive(&plan->model, &first->model))
        return STATUS_OK;
    fail_at(err, STATUS_INVALID, position_of(other),
            "models %.*s and %.*s have different positive classes", SLICE_FORMAT(plan->called),
            SLICE_FORMAT(first->called));
    return error_hint(err,
                      "Precision, recall and F1 judge the positive class: measure %.*s "
                      "by itself, or train it with the other model.positive.",
                      SLICE_FORMAT(plan->called));
}

/* Reports are made of one model, and workers measure one: several are measured by the session. */
static enum status check_settings(const struct planning *planning)
{
    const struct setting *report = settings_find(planning, "evaluate.report");

    if (report && planning->plan->report != REPORT_METRICS) {
        fail_at(planning->err, STATUS_INVALID, report->name.position,
                "a report shows one model, and there are %zu",
                planning->statement->other_count + 1);
        return error_hint(planning->err, "Write a statement for each model.");
    }
    for (size_t i = 0; planning->plan->scoring.on_workers && i < planning->setting_count; i++) {
        const struct checked_setting *one = &planning->settings[i];

        if (strncmp(one->attribute->name, "job.", 4) != 0)
            continue;
        fail_at(planning->err, STATUS_UNSUPPORTED, one->setting->name.position,
                "workers measure one model, and there are %zu",
                planning->statement->other_count + 1);
        return error_hint(planning->err,
                          "Leave %.*s out: the session reads the rows once for all "
                          "models. Or write a statement for each model.",
                          SLICE_FORMAT(one->setting->name.text));
    }
    return STATUS_OK;
}

static bool has_metric(const struct plan *plan, struct slice name)
{
    for (size_t i = 0; i < plan->metric_count; i++)
        if (slice_equal(plan->metrics[i], name))
            return true;
    return false;
}

/* Leave out of `plan` the metrics that the other one has not. */
static void keep_common(struct plan *plan, const struct plan *other)
{
    size_t count = 0;

    for (size_t i = 0; i < plan->metric_count; i++)
        if (has_metric(other, plan->metrics[i]))
            plan->metrics[count++] = plan->metrics[i];
    plan->metric_count = count;
}

/* The metrics of all, and once they are known, by what each model is measured. */
static enum status agree_on_metrics(struct planning *plannings, size_t count)
{
    struct plan *first = plannings[0].plan;

    for (size_t i = 1; i < count; i++) {
        const struct plan *plan = plannings[i].plan;

        keep_common(first, plan);
        first->has_no_loss |= plan->model.aim.aim != first->model.aim.aim;
        if (first->metric_count > 0)
            continue;
        fail_at(plannings[i].err, STATUS_INVALID, position_of(&plannings[i]),
                "models %.*s and %.*s have no metric in common that they are measured by",
                SLICE_FORMAT(plan->called), SLICE_FORMAT(first->called));
        return error_hint(plannings[i].err,
                          "Name one that fits both, as in WITH "
                          "validation.metrics = '%s'.",
                          first->model.task == TASK_CLASSIFICATION ? "Accuracy" : "RMSE");
    }
    for (size_t i = 0; i < count; i++) {
        struct plan *plan = plannings[i].plan;

        if (i > 0) {
            memcpy(plan->metrics, first->metrics, sizeof plan->metrics);
            plan->metric_count = first->metric_count;
        }
        TRY(aim_columns_plan(&plannings[i]));
    }
    return STATUS_OK;
}

enum status several_models_plan(struct planning *planning)
{
    const size_t count = planning->statement->other_count + 1;
    struct planning *plannings = ARENA_NEW(planning->arena, struct planning, count);
    struct plan *first = planning->plan;

    first->others = ARENA_NEW(planning->arena, struct plan *, count);
    if (!plannings || !first->others)
        return fail_no_memory(planning->err);
    TRY(check_settings(planning));
    TRY(name_model(planning));
    TRY(model_room_need(planning));
    plannings[0] = *planning;
    for (size_t i = 1; i < count; i++) {
        TRY(begin_other(planning, i - 1, &plannings[i]));
        TRY(plan_evaluate_one(&plannings[i]));
        TRY(name_model(&plannings[i]));
        TRY(model_room_need(&plannings[i]));
        TRY(check_other(first, &plannings[i]));
        first->others[first->other_count++] = plannings[i].plan;
    }
    return task_has_label(first->model.task) ? agree_on_metrics(plannings, count) : STATUS_OK;
}
