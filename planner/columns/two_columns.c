#include "planner/columns/two_columns.h"

void two_columns_choose(const struct plan *plan, struct choices *choices)
{
    for (size_t i = 0; i < plan->query.count; i++)
        if (choices->of[i].kind == CHOICE_DERIVED) {
            choices->of[i].kind = CHOICE_CATEGORY;
            choices->of[i].spec.vocabulary_max = TWO_COLUMNS_WORDS;
            choices->of[i].is_derived = true;
        }
}

enum status two_columns_check(const struct planning *planning)
{
    const struct plan *plan = planning->plan;
    const int position = planning->statement->select_position;
    const struct input_spec *other = NULL;

    for (size_t i = 0; !other && i < plan->input_count; i++)
        other = plan->inputs[i].spec.type == INPUT_CATEGORY ? NULL : &plan->inputs[i].spec;
    if (plan->input_count == 2 && !other)
        return STATUS_OK;
    if (other)
        fail_at(planning->err, STATUS_INVALID, position,
                "\"%.*s\" is a %s, and %s needs two categories", SLICE_FORMAT(other->name),
                input_type_words[other->type], plan->estimator->name);
    else
        fail_at(planning->err, STATUS_INVALID, position,
                "%s needs two columns beside the label, such as users and items, and the query "
                "has %zu",
                plan->estimator->name, plan->input_count);
    return error_hint(planning->err, "Select these two and the label, or name them: COLUMN "
                                     "customer, item. DeepFMRegressor takes more columns.");
}
