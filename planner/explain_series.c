#include "planner/explain_series.h"

#include "kinds/forecast/forecast_model.h"
#include "planner/plan/query.h"
#include "planner/plan/settings.h"
#include "planner/plan/targets.h"
#include "planner/plan_forecast.h"

#define PARTS 3 /* trend, remainder, level_shift */

#define NUMBERED_MOST (2 * REGRESSORS_MAX) /* no more columns could have one name */

/* Nothing of a forecast depends on the rows that it is asked for. */
static enum status refuse_explainer(const struct planning *planning)
{
    const struct name *name = &planning->statement->explainer;

    fail_at(planning->err, STATUS_UNSUPPORTED, name->position,
            "a %.*s has no inputs whose importance could be measured",
            SLICE_FORMAT(planning->plan->model.estimator));
    return error_hint(planning->err,
                      "Leave USING %.*s out: then the series of the SELECT are "
                      "shown as trend, seasons and remainder.",
                      SLICE_FORMAT(name->text));
}

static enum status check_settings(const struct planning *planning)
{
    const struct statement *statement = planning->statement;

    for (size_t i = 0; i < statement->setting_count; i++) {
        const struct name *name = &statement->settings[i].name;

        if (&statement->settings[i] == settings_find(planning, "evaluate.replace"))
            continue;
        fail_at(planning->err, STATUS_INVALID, name->position, "%.*s has no use with a forecast",
                SLICE_FORMAT(name->text));
        return error_hint(planning->err, "Its parts follow from the rows; leave %.*s out.",
                          SLICE_FORMAT(name->text));
    }
    return STATUS_OK;
}

static void add_season(struct plan *plan, uint32_t length)
{
    uint32_t at = plan->part_season_count;

    for (uint32_t i = 0; i < plan->part_season_count; i++)
        if (plan->part_seasons[i] == length)
            return;
    if (length < 2 || at == SERIES_SEASONS_MAX)
        return;
    for (; at > 0 && plan->part_seasons[at - 1] > length; at--)
        plan->part_seasons[at] = plan->part_seasons[at - 1];
    plan->part_seasons[at] = length;
    plan->part_season_count++;
}

static void find_seasons(struct plan *plan, const struct forecast_model *forecast)
{
    const struct steps steps = {.unit = forecast->unit, .size = forecast->size};
    uint32_t suggested[2], count, longest = 0;

    for (uint32_t i = 0; i < forecast->found->season_count; i++) {
        const uint32_t length = forecast->found->seasons[i].length;

        add_season(plan, length);
        longest = length > longest ? length : longest;
    }
    count = steps_seasons(&steps, suggested);
    for (uint32_t i = 0; i < count; i++)
        if (suggested[i] < longest)
            add_season(plan, suggested[i]);
}

static enum status add_part(struct planning *planning, struct slice name)
{
    struct plan *plan = planning->plan;

    if (forecast_name_is_taken(plan, name))
        name = arena_printf(planning->arena, "%.*s_%.*s", SLICE_FORMAT(plan->model.label),
                            SLICE_FORMAT(name));
    if (!name.data)
        return fail_no_memory(planning->err);
    plan->results[plan->result_count++] = (struct plan_result){name, RESULT_REAL};
    return STATUS_OK;
}

static bool is_result(const struct plan *plan, struct slice name)
{
    for (size_t i = 0; i < plan->result_count; i++)
        if (slice_equal_fold(plan->results[i].name, name))
            return true;
    return false;
}

/* Holidays may differ in case alone, or be called as a regressor is: tables have no two columns of
 * one name, so the later one gets a number, as effect_easter_2. */
static enum status add_effect(struct planning *planning, struct slice regressor)
{
    struct slice name = arena_printf(planning->arena, "effect_%.*s", SLICE_FORMAT(regressor));

    for (int i = 2; name.data && i < NUMBERED_MOST && is_result(planning->plan, name); i++)
        name = arena_printf(planning->arena, "effect_%.*s_%d", SLICE_FORMAT(regressor), i);
    return name.data ? add_part(planning, name) : fail_no_memory(planning->err);
}

static enum status add_parts(struct planning *planning)
{
    struct plan *plan = planning->plan;
    const struct forecast_model *forecast = plan->model.outline;
    const uint32_t regressors = forecast->groups + 1; /* behind the time */

    TRY(add_part(planning, SLICE("trend")));
    for (uint32_t i = 0; i < plan->part_season_count; i++)
        TRY(add_part(planning, arena_printf(planning->arena, "season_%u", plan->part_seasons[i])));
    for (uint32_t i = 0; i < plan->part_effect_count; i++) {
        const struct slice name = i < forecast->regressors
                                      ? plan->model.inputs[regressors + i].name
                                      : forecast->holidays.items[i - forecast->regressors].name;

        TRY(add_effect(planning, name));
    }
    TRY(add_part(planning, SLICE("remainder")));
    return add_part(planning, SLICE("level_shift"));
}

enum status explain_series_plan(struct planning *planning)
{
    struct plan *plan = planning->plan;
    const struct forecast_model *forecast = plan->model.outline;

    if (planning->statement->explainer.text.size > 0)
        return refuse_explainer(planning);
    TRY(check_settings(planning));
    TRY(target_into(planning, "evaluate.replace"));
    TRY(query_describe(planning));
    plan->explains_series = true;
    plan->label = plan->model.label;
    TRY(query_resolve(&plan->query, "label ", plan->label, planning->statement->select_position,
                      &plan->label_column, planning->err));
    find_seasons(plan, forecast);
    /* Logarithms have sums of effects, and values products. */
    plan->part_effect_count =
        forecast->is_transformed ? 0 : forecast->regressors + forecast->holidays.count;
    TRY(forecast_keys_plan(planning, PARTS + plan->part_season_count + plan->part_effect_count));
    return add_parts(planning);
}
