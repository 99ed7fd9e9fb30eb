#include "codegen/lower_train.h"

#include "jobspec/jobspec.h"
#include "planner/plan/plan.h"

static enum status lower_inputs(const struct plan *plan, struct arena *arena, struct jobspec *spec,
                                struct error *err)
{
    spec->inputs = ARENA_NEW(arena, struct input_spec, plan->input_count);
    if (!spec->inputs)
        return fail_no_memory(err);
    spec->input_count = plan->input_count;
    for (size_t i = 0; i < plan->input_count; i++)
        spec->inputs[i] = plan->inputs[i].spec;
    return STATUS_OK;
}

static void lower_workers(struct jobspec *spec)
{
    /* From the statement, never from the cores: lanes are part of the mathematics. */
    spec->lanes_max = spec->max_workers > JOBSPEC_LANES_DEFAULT_MAX ? spec->max_workers
                                                                    : JOBSPEC_LANES_DEFAULT_MAX;
    spec->max_workers = spec->max_workers ? spec->max_workers : spec->min_workers;
}

enum status lower_train(const struct plan *plan, struct arena *arena, struct jobspec *spec,
                        struct error *err)
{
    *spec = plan->spec;
    spec->statement = plan->text;
    spec->estimator = slice_of(plan->estimator->name);
    spec->family = slice_of(plan->estimator->kind->name);
    spec->task = plan->estimator->task;
    spec->model_name = plan->into_name;
    spec->label = plan->label;
    spec->label_type = plan->label_type;
    spec->label_reading = plan->label_reading;
    spec->label_declared = plan->label_declared;
    for (size_t i = 0; i < plan->role_count; i++)
        spec->roles[spec->role_count++] =
            (struct spec_role){plan->roles[i].role, plan->roles[i].name};
    spec->notices = plan->notices;
    spec->positive = plan->positive;
    spec->class_weights = plan->class_weights;
    if (plan->model_name.size > 0)
        spec->old_model = plan->model.digest;
    spec->average = plan->average;
    spec->has_default_metrics = plan->has_default_metrics;
    spec->has_validation = plan->validation_select.size > 0;
    for (size_t i = 0; i < plan->metric_count; i++)
        spec->metrics[spec->metric_count++] = plan->metrics[i];
    lower_workers(spec);
    return lower_inputs(plan, arena, spec, err);
}
