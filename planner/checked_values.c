#include "planner/checked_values.h"

#include "planner/plan/query.h"
#include "planner/plan/settings.h"
#include "scoring/kind.h"

#define ANOMALY_PROBABILITY 0.95

static const struct {
    const char *name;
    enum output output;
} columns[] = {{"lower", OUTPUT_LOWER},
               {"upper", OUTPUT_UPPER},
               {"anomaly_probability", OUTPUT_ANOMALY},
               {"is_anomaly", OUTPUT_IS_ANOMALY}};
#define COLUMNS (sizeof columns / sizeof *columns)

/* The name, or LABEL_name where the SELECT has it. */
static enum status name_column(struct planning *planning, const char *wanted, struct slice *name)
{
    const struct plan *plan = planning->plan;

    *name = slice_of(wanted);
    if (query_find(&plan->query, *name) == -1)
        return STATUS_OK;
    *name = arena_printf(planning->arena, "%.*s_%s", SLICE_FORMAT(plan->model.label), wanted);
    return name->data ? STATUS_OK : fail_no_memory(planning->err);
}

static enum status add_columns(struct planning *planning)
{
    struct plan *plan = planning->plan;

    for (size_t i = 0; i < COLUMNS; i++) {
        plan->extra_kinds[plan->extra_output_count] = columns[i].output;
        TRY(name_column(planning, columns[i].name, &plan->extra_outputs[plan->extra_output_count]));
        plan->extra_output_count++;
    }
    return STATUS_OK;
}

/* The column of the values; -1: the statement is of none. */
static enum status find_values(const struct planning *planning, const struct setting *setting,
                               int *column)
{
    const struct plan *plan = planning->plan;

    *column = -1;
    if (!plan->model.kind->check_value) {
        if (!setting)
            return STATUS_OK;
        fail_at(planning->err, STATUS_INVALID, setting->name.position,
                "forecast.anomaly suits forecasts alone, and model %.*s is a %.*s",
                SLICE_FORMAT(plan->model_name), SLICE_FORMAT(plan->model.estimator));
        return error_hint(planning->err, "TO TRAIN Forecast makes models that know what to expect "
                                         "at each time; OneClassSVM ones that know no time.");
    }
    if (setting)
        return query_resolve(&plan->query, "label ", plan->model.label,
                             planning->statement->select_position, column, planning->err);
    if (slice_equal_fold(plan->target_column, plan->model.label))
        *column = query_find(&plan->query, plan->model.label);
    return STATUS_OK;
}

enum status checked_values_plan(struct planning *planning)
{
    const struct setting *setting = settings_find(planning, "forecast.anomaly");
    struct plan *plan = planning->plan;
    int column;

    TRY(find_values(planning, setting, &column));
    if (column < 0)
        return STATUS_OK;
    plan->checked_column = column;
    plan->anomaly = setting ? setting->value.number : ANOMALY_PROBABILITY;
    if (slice_equal_fold(plan->target_column, plan->model.label))
        TRY(name_column(planning, "expected", &plan->target_column));
    return add_columns(planning);
}
