#include "planner/old_model.h"

#include "planner/query.h"
#include "planner/settings.h"
#include "planner/targets.h"

bool old_model_is_named(const struct planning *planning)
{
    return planning->plan->kind == STATEMENT_TRAIN && planning->statement->object.count > 0;
}

static int place_of(const struct planning *planning)
{
    return path_last(&planning->statement->object).position;
}

static enum status refuse_column_clause(const struct planning *planning)
{
    const struct statement *statement = planning->statement;
    const struct plan *plan = planning->plan;

    if (statement->column_clause_count == 0)
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, statement->columns[0].position,
            "COLUMN has no use with USING, which takes the inputs of model \"%.*s\"",
            SLICE_FORMAT(plan->model_name));
    return error_hint(planning->err, "Leave it out: what the columns are, the model knows.");
}

static enum status refuse_rules(const struct planning *planning)
{
    const struct plan *plan = planning->plan;

    if (!plan->model.has_rules)
        return STATUS_OK;
    fail_at(planning->err, STATUS_UNSUPPORTED, place_of(planning),
            "model \"%.*s\" has inputs that functions of COLUMN make, with which USING in TO TRAIN "
            "is not supported yet",
            SLICE_FORMAT(plan->model_name));
    return error_hint(planning->err, "Leave USING out: it learns from the rows alone then.");
}

enum status old_model_find(struct planning *planning)
{
    const struct plan *plan = planning->plan;

    if (!old_model_is_named(planning))
        return STATUS_OK;
    if (!plan->estimator->kind->goes_on) {
        fail_at(planning->err, STATUS_UNSUPPORTED, place_of(planning),
                "USING in TO TRAIN, to go on from another model, is not supported yet by %s",
                plan->estimator->name);
        return error_hint(planning->err, "Boosted trees go on from boosted trees.");
    }
    TRY(model_find(planning));
    if (!plan->model.has_leaves) {
        fail_at(planning->err, STATUS_INVALID, place_of(planning),
                "model \"%.*s\" is a %.*s, and %s goes on from trees alone",
                SLICE_FORMAT(plan->model_name), SLICE_FORMAT(plan->model.estimator),
                plan->estimator->name);
        return error_hint(planning->err, "Leave USING out: it learns from the rows alone then.");
    }
    TRY(refuse_rules(planning));
    return refuse_column_clause(planning);
}

static enum status check_classes(const struct planning *planning)
{
    const struct plan *plan = planning->plan;

    if (plan->estimator->task != TASK_CLASSIFICATION || plan->label_type == plan->model.label_type)
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, planning->statement->label.position,
            "label column \"%.*s\" is of type %s, and the classes of model \"%.*s\" are of type %s",
            SLICE_FORMAT(plan->label), label_type_words[plan->label_type],
            SLICE_FORMAT(plan->model_name), label_type_words[plan->model.label_type]);
    return error_hint(planning->err, "Cast it in the SELECT.");
}

enum status old_model_check(const struct planning *planning)
{
    const struct setting *base = settings_find(planning, "base_score");
    const struct plan *plan = planning->plan;

    if (!old_model_is_named(planning))
        return STATUS_OK;
    if (plan->model.task != plan->estimator->task)
        return fail_at(planning->err, STATUS_INVALID, place_of(planning),
                       "model \"%.*s\" is a %s, and %s learns a %s", SLICE_FORMAT(plan->model_name),
                       task_models[plan->model.task], plan->estimator->name,
                       task_models[plan->estimator->task]);
    if (base)
        return fail_at(planning->err, STATUS_INVALID, base->name.position,
                       "base_score has no use with USING: model \"%.*s\" is where boosting starts",
                       SLICE_FORMAT(plan->model_name));
    return check_classes(planning);
}

/* Of one column: of a date some. */
static bool is_of_column(const struct plan_input *input, struct slice column)
{
    return slice_equal_fold(input->part ? input->source : input->name, column);
}

enum status old_model_order(struct planning *planning)
{
    struct plan *plan = planning->plan;
    struct plan_input *ordered;
    size_t count = 0;

    if (!old_model_is_named(planning))
        return STATUS_OK;
    ordered = ARENA_NEW(planning->arena, struct plan_input, plan->input_count + 1);
    if (!ordered)
        return fail_no_memory(planning->err);
    for (size_t column = 0; column < plan->model.input_count; column++)
        for (size_t i = 0; i < plan->input_count; i++)
            if (is_of_column(&plan->inputs[i], plan->model.inputs[column].name))
                ordered[count++] = plan->inputs[i];
    if (count != plan->input_count) /* an array that is longer than it was */
        return fail_at(planning->err, STATUS_INVALID, planning->statement->select_position,
                       "the query has %zu inputs, where model \"%.*s\" takes %zu of them",
                       plan->input_count, SLICE_FORMAT(plan->model_name), count);
    plan->inputs = ordered;
    return STATUS_OK;
}
