#include "planner/plan_forecast.h"

#include "kinds/forecast/forecast_rows.h"
#include "planner/plan/model_room.h"
#include "planner/plan/settings.h"
#include "planner/plan/targets.h"
#include "planner/settings_read.h"

static enum status check_regressors(const struct planning *planning)
{
    const struct model_summary *model = &planning->plan->model;
    const struct forecast_model *forecast = model->outline;
    struct slice columns[FORECAST_GROUPS_MAX + 1 + REGRESSORS_MAX];
    size_t count = 0;

    for (; count < model->input_count && count < sizeof columns / sizeof *columns; count++)
        columns[count] = model->inputs[count].name;
    if (forecast_check_regressors(forecast->regressors, columns, count, model->label,
                                  planning->err) == STATUS_OK)
        return STATUS_OK;
    return error_place(planning->err, path_last(&planning->statement->object).position);
}

static enum status plan_model(struct planning *planning)
{
    struct plan *plan = planning->plan;

    TRY(model_find(planning));
    if (forecast_check_kind(plan->model.kind, plan->model.estimator, planning->err) != STATUS_OK)
        return error_place(planning->err, path_last(&planning->statement->object).position);
    TRY(check_regressors(planning));
    return model_room_need(planning);
}

static enum status plan_steps(struct planning *planning)
{
    const struct forecast_model *forecast = planning->plan->model.outline;
    const struct value *number = &planning->statement->number;
    int64_t steps;

    planning->plan->steps = forecast->horizon;
    if (number->text.size == 0)
        return STATUS_OK;
    if (!slice_to_integer(number->text, &steps)) {
        fail_at(planning->err, STATUS_INVALID, number->span.start,
                "steps are a whole number, not %.*s", SLICE_FORMAT(slice_prefix(number->text, 40)));
        return error_hint(planning->err, "Write, for example, FORECAST m FOR %u;",
                          forecast->horizon);
    }
    if (forecast_check_steps(forecast, steps, planning->err) != STATUS_OK)
        return error_place(planning->err, number->span.start);
    planning->plan->steps = (uint32_t)steps;
    return STATUS_OK;
}

bool forecast_name_is_taken(const struct plan *plan, struct slice name)
{
    for (size_t i = 0; i < plan->model.input_count; i++)
        if (slice_equal_fold(plan->model.inputs[i].name, name))
            return true;
    return slice_equal_fold(plan->model.label, name);
}

static struct plan_result time_of(const struct plan *plan, const struct forecast_model *forecast)
{
    static const enum result_type types[] = {[FORECAST_NUMBERS] = RESULT_INTEGER,
                                             [FORECAST_DATES] = RESULT_DATE,
                                             [FORECAST_MOMENTS] = RESULT_MOMENT};

    return (struct plan_result){plan->model.inputs[forecast->groups].name, types[forecast->times]};
}

/* lower and upper, or, where the history has one of them, LABEL_lower and LABEL_upper. */
static enum status add_bounds(struct planning *planning)
{
    struct plan *plan = planning->plan;
    const bool is_free = !forecast_name_is_taken(plan, SLICE("lower")) &&
                         !forecast_name_is_taken(plan, SLICE("upper"));
    const char *const names[] = {"lower", "upper"};

    for (int i = 0; i < 2; i++) {
        const struct slice name = is_free ? slice_of(names[i])
                                          : arena_printf(planning->arena, "%.*s_%s",
                                                         SLICE_FORMAT(plan->model.label), names[i]);

        if (!name.data)
            return fail_no_memory(planning->err);
        plan->results[plan->result_count++] = (struct plan_result){name, RESULT_REAL};
    }
    return STATUS_OK;
}

enum status forecast_keys_plan(struct planning *planning, uint32_t more)
{
    struct plan *plan = planning->plan;
    const struct forecast_model *forecast = plan->model.outline;

    plan->results = ARENA_NEW(planning->arena, struct plan_result, forecast->groups + 2 + more);
    if (!plan->results)
        return fail_no_memory(planning->err);
    for (uint32_t i = 0; i < forecast->groups; i++)
        plan->results[plan->result_count++] =
            (struct plan_result){plan->model.inputs[i].name,
                                 forecast->found->has_integers[i] ? RESULT_INTEGER : RESULT_TEXT};
    plan->results[plan->result_count++] = time_of(plan, forecast);
    plan->results[plan->result_count++] = (struct plan_result){plan->model.label, RESULT_REAL};
    return STATUS_OK;
}

enum status plan_forecast(struct planning *planning)
{
    const struct setting *level;
    struct plan *plan = planning->plan;

    TRY(settings_read(planning, SCOPE_FORECAST));
    TRY(plan_model(planning));
    TRY(plan_steps(planning));
    level = settings_find(planning, "forecast.level");
    plan->level =
        level ? level->value.number : ((const struct forecast_model *)plan->model.outline)->level;
    TRY(forecast_keys_plan(planning, 2));
    TRY(add_bounds(planning));
    return target_into(planning, "predict.replace");
}
