#include "planner/notices/unseen_nulls.h"

#include "inputs/cells/cell_text.h"

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

static void note(const struct plan *plan, size_t number, uint64_t nulls, const char *of_first,
                 uint64_t rows)
{
    const struct model_input *input = &plan->model.inputs[number];
    const struct slice name = plan->query.columns[plan->model_columns[number]].name;

    notice_add(plan->notices, NOTICE_MISSING,
               "column \"%.*s\" is NULL in %llu of %s%llu rows, and was in none that the model "
               "learned from: there NULL counts as %s",
               SLICE_FORMAT(name), (unsigned long long)nulls, of_first, (unsigned long long)rows,
               what_becomes(plan, input));
    notice_hint(plan->notices,
                "coalesce(%s, ...) gives them another value, WHERE %s IS NOT NULL leaves such rows "
                "out; a model that was trained with some learns what they mean.",
                SQL_NAME(name), SQL_NAME(name));
}

/* Is it one of which NULLs are told, and a column of the SELECT? */
static bool is_told(const struct plan *plan, size_t number)
{
    const int column = plan->model_columns[number];

    return column >= 0 && (size_t)column < plan->query.count &&
           has_learned_none(&plan->model.inputs[number]);
}

static uint32_t nulls_of_sample(const struct plan *plan, size_t number)
{
    return nulls_of(&plan->query.columns[plan->model_columns[number]], &plan->model.inputs[number]);
}

void note_unseen_nulls(const struct plan *plan)
{
    const uint32_t sample = plan->query.sample_rows;

    for (size_t i = 0; i < plan->model.input_count; i++)
        if (is_told(plan, i) && nulls_of_sample(plan, i) > 0)
            note(plan, i, nulls_of_sample(plan, i), sample < QUERY_SAMPLE_ROWS ? "" : "the first ",
                 sample);
}

bool unseen_nulls_may_come(const struct plan *plan, size_t input)
{
    return plan->query.sample_rows >= QUERY_SAMPLE_ROWS && is_told(plan, input) &&
           nulls_of_sample(plan, input) == 0;
}

bool unseen_null_is(const struct plan *plan, size_t input, const struct cell *cell)
{
    enum text_kind kind;

    if (cell->type != CELL_TEXT)
        return cell->type == CELL_NULL;
    kind = text_look_at(cell->text).kind;
    return kind == TEXT_BLANK ||
           (kind == TEXT_MISSING && plan->model.inputs[input].type == INPUT_NUMERIC);
}

void note_counted_nulls(const struct plan *plan, const uint64_t *nulls, uint64_t rows)
{
    for (size_t i = 0; i < plan->model.input_count; i++)
        if (nulls[i] > 0)
            note(plan, i, nulls[i], "", rows);
}
