#include "planner/notices/far_numbers.h"

#include <math.h>

#include "scoring/transform/far_number.h"

/* Has the model's input a reach, and the SELECT its column? */
static bool is_told(const struct plan *plan, size_t number)
{
    const struct model_input *input = &plan->model.inputs[number];
    const int column = plan->model_columns[number];

    return column >= 0 && (size_t)column < plan->query.count && input->least < input->greatest;
}

/* An infinite number makes a bad row, which others tell. */
static bool is_far(const struct model_input *input, double number)
{
    return isfinite(number) && (number < input->least || number > input->greatest);
}

static void note(const struct plan *plan, size_t number, double far)
{
    const struct model_input *input = &plan->model.inputs[number];
    const struct slice name = plan->query.columns[plan->model_columns[number]].name;

    far_number_note(plan->notices, name, far, input->least, input->greatest);
    notice_hint(plan->notices, "If it is wrong, leave such rows out; else divide the column, here "
                               "and where the model is trained.");
}

/* A number of the sample that is too far off; NaN: there is none. */
static double far_number_of_sample(const struct plan *plan, size_t number)
{
    const struct query_column *column = &plan->query.columns[plan->model_columns[number]];
    const struct model_input *input = &plan->model.inputs[number];

    if (column->distinct_numbers == 0)
        return NAN;
    if (is_far(input, column->greatest))
        return column->greatest;
    return is_far(input, column->least) ? column->least : NAN;
}

void note_far_numbers(const struct plan *plan)
{
    for (size_t i = 0; i < plan->model.input_count; i++)
        if (is_told(plan, i) && !isnan(far_number_of_sample(plan, i)))
            note(plan, i, far_number_of_sample(plan, i));
}

bool far_numbers_may_come(const struct plan *plan, size_t input)
{
    return plan->query.sample_rows >= QUERY_SAMPLE_ROWS && is_told(plan, input) &&
           isnan(far_number_of_sample(plan, input));
}

bool far_number_is(const struct plan *plan, size_t input, const struct cell *cell)
{
    const bool is_number = cell->type == CELL_REAL || cell->type == CELL_INTEGER;
    const double number = cell->type == CELL_REAL ? cell->real : (double)cell->integer;

    return is_number && is_told(plan, input) && is_far(&plan->model.inputs[input], number);
}

void note_found_far_numbers(const struct plan *plan, const double *numbers)
{
    for (size_t i = 0; i < plan->model.input_count; i++)
        if (!isnan(numbers[i]))
            note(plan, i, numbers[i]);
}
