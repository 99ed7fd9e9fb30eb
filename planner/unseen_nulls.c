#include "planner/unseen_nulls.h"

#include "planner/column_kind.h"
#include "planner/query.h"

/* Cells that are missing values to the model. */
static uint32_t nulls_of(const struct query_column *column, const struct model_input *input)
{
    return column->nulls + column->blank_texts +
           (input->type == INPUT_NUMERIC ? column->missing_texts : 0);
}

/* A NULL is nothing to be learned where the input is a list, a text or an offset. */
static bool has_learned_none(const struct model_input *input)
{
    return !input->is_source && !input->has_nulls && !input->offset &&
           input->list.form == LIST_NONE && input->type != INPUT_TEXT;
}

/* The value that the model takes in its place, in words. */
static const char *what_becomes(const struct plan *plan, const struct model_input *input)
{
    if (input->type == INPUT_CATEGORY)
        return "a word that it does not know";
    return plan->model.kind->keeps_numbers ? "the greatest of all numbers"
                                           : "the mean of the column";
}

static void note(const struct plan *plan, const struct model_input *input,
                 const struct query_column *column)
{
    const uint32_t sample = plan->query.sample_rows, nulls = nulls_of(column, input);

    notice_add(plan->notices, NOTICE_MISSING,
               "column \"%.*s\" is NULL in %u of %s%u rows, and was in none that the model learned "
               "from: there NULL counts as %s",
               SLICE_FORMAT(column->name), nulls, sample < QUERY_SAMPLE_ROWS ? "" : "the first ",
               sample, what_becomes(plan, input));
    notice_hint(plan->notices,
                "coalesce(%s, ...) says what else it is, WHERE %s IS NOT NULL leaves such rows "
                "out; a model that was trained with some learns what they mean.",
                SQL_NAME(column->name), SQL_NAME(column->name));
}

void note_unseen_nulls(const struct plan *plan)
{
    for (size_t i = 0; i < plan->model.input_count; i++) {
        const struct model_input *input = &plan->model.inputs[i];
        const int number = plan->model_columns[i];

        if (number >= 0 && (size_t)number < plan->query.count && has_learned_none(input) &&
            nulls_of(&plan->query.columns[number], input) > 0)
            note(plan, input, &plan->query.columns[number]);
    }
}
