#include "runtime/data/spool/column_sample.h"

#include <math.h>
#include <stdlib.h>

#include "base/sort_doubles.h"
#include "jobspec/jobspec_sections.h"
#include "scoring/transform/number_origin.h"

#define SAMPLE_COLUMNS (MODEL_INPUTS_MAX + 1) /* with more columns fewer rows are looked at */

struct sampled_numbers {
    uint32_t column;
    size_t count;
    double *numbers; /* (rows_most) */
};

struct column_sample {
    uint32_t rows, rows_most, count;
    enum far_values far; /* FAR_KEPT: no range is wanted, and no code */
    const struct jobspec *spec;
    struct sampled_numbers *columns; /* (count) */
    double *numbers;                 /* the numbers of all columns */
    double rest[COLUMN_SAMPLE_ROWS]; /* a column's numbers without its code, while it is measured */
};

/* ---- rows ---- */

static enum far_values far_values_of(const struct jobspec *spec)
{
    const struct kind *kind = kind_of(spec);

    return spec->standardize && kind->far_values ? kind->far_values(&spec->params) : FAR_KEPT;
}

/* Inputs that are numbers, and behind all inputs the label of a regression. */
static bool is_sampled(const struct jobspec *spec, uint32_t column)
{
    return column < spec->input_count ? spec->inputs[column].type == INPUT_NUMERIC
                                      : spec->task == TASK_REGRESSION;
}

/* A cell of the SELECT as it is, and not a part of one. */
static bool is_whole_cell(const struct jobspec *spec, uint32_t column)
{
    const struct input_spec *input = &spec->inputs[column];

    return column >= spec->input_count ||
           (!input->offset && !input->part && input->list.form == LIST_NONE &&
            input->reading != READING_BOOLEAN && !kind_of(spec)->learns_series);
}

/* Whether numbers of the column are counted from an origin. */
static bool has_origin(const struct jobspec *spec, uint32_t column)
{
    const struct kind *kind = kind_of(spec);

    return kind->keeps_numbers &&
           (column < spec->input_count || (kind->moves_label && kind->moves_label(&spec->params)));
}

/* Pages of the numbers that no row reaches are never there. */
static bool allocate(struct column_sample *sample, uint32_t count)
{
    sample->rows_most =
        count > SAMPLE_COLUMNS ? COLUMN_SAMPLE_ROWS * SAMPLE_COLUMNS / count : COLUMN_SAMPLE_ROWS;
    sample->columns = calloc(count, sizeof *sample->columns);
    sample->numbers = calloc((size_t)count * sample->rows_most, sizeof *sample->numbers);
    return sample->columns && sample->numbers;
}

enum status column_sample_new(const struct jobspec *spec, struct column_sample **sample,
                              struct error *err)
{
    uint32_t count = 0;

    *sample = NULL;
    for (uint32_t i = 0; i <= spec->input_count; i++)
        count += is_sampled(spec, i);
    if (count == 0)
        return STATUS_OK;
    *sample = calloc(1, sizeof **sample);
    if (!*sample || !allocate(*sample, count)) {
        column_sample_free(*sample);
        *sample = NULL;
        return fail_no_memory(err);
    }
    (*sample)->far = far_values_of(spec);
    (*sample)->spec = spec;
    for (uint32_t i = 0; i <= spec->input_count; i++)
        if (is_sampled(spec, i)) {
            double *numbers = (*sample)->numbers + (size_t)(*sample)->count * (*sample)->rows_most;

            (*sample)->columns[(*sample)->count++] = (struct sampled_numbers){i, 0, numbers};
        }
    return STATUS_OK;
}

void column_sample_free(struct column_sample *sample)
{
    if (!sample)
        return;
    free(sample->columns);
    free(sample->numbers);
    free(sample);
}

uint32_t column_sample_most(const struct column_sample *sample)
{
    return sample ? sample->rows_most : 0;
}

bool column_sample_wants(const struct column_sample *sample)
{
    return sample && sample->rows < sample->rows_most;
}

void column_sample_add(struct column_sample *sample, const struct spool_column_view *columns,
                       uint32_t row)
{
    for (uint32_t i = 0; i < sample->count; i++) {
        struct sampled_numbers *column = &sample->columns[i];
        const struct spool_column_view *view = &columns[column->column];

        if (!spool_is_null(view, row))
            column->numbers[column->count++] = spool_number(view, row);
    }
    sample->rows++;
}

/* ---- measures ---- */

static bool is_far(double number, const struct robust_range *range)
{
    return fabs(number - range->middle) > ROBUST_FAR * range->deviation;
}

/* Equal numbers of which there are most; of a range those that are far. NULL: of all. */
static size_t longest_run(const double *sorted, size_t count, const struct robust_range *range,
                          double *number)
{
    size_t longest = 0;

    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && sorted[end] == sorted[i];)
            end++;
        if (end - i > longest && (!range || is_far(sorted[i], range))) {
            longest = end - i;
            *number = sorted[i];
        }
    }
    return longest;
}

static size_t count_far(const double *sorted, size_t count, const struct robust_range *range)
{
    size_t far = 0;

    for (size_t i = 0; i < count; i++)
        far += is_far(sorted[i], range);
    return far;
}

static size_t take_rest(const double *sorted, size_t count, double code, double *rest)
{
    size_t left = 0;

    for (size_t i = 0; i < count; i++)
        if (sorted[i] != code)
            rest[left++] = sorted[i];
    return left;
}

/* By sums in ascending order of the numbers. */
static void take_moments(const double *sorted, size_t count, struct sampled_column *column)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < count; i++)
        sum += sorted[i];
    column->rest_mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (sorted[i] - column->rest_mean) * (sorted[i] - column->rest_mean);
    column->rest_deviation = sqrt(squares / (double)count);
}

/* Whether the number, which `times` of the cells have, is a code. rest: (count) */
static bool take_code(const double *sorted, size_t count, double number, size_t times, double *rest,
                      struct sampled_column *column)
{
    const size_t left = take_rest(sorted, count, number, rest);

    if (number == 0 || times < CODE_CELLS_MIN || times * CODE_CELLS_OF < count ||
        !robust_range_of(rest, left, &column->rest) || !is_far(number, &column->rest) ||
        times <= count_far(rest, left, &column->rest))
        return false;
    take_moments(rest, left, column);
    if (!isfinite(column->rest_mean) || !isfinite(column->rest_deviation))
        return false;
    column->code = number;
    column->cells = (uint32_t)count;
    column->code_cells = (uint32_t)times;
    return true;
}

/* One that a quarter of the cells have moves the middle half: it is the number that most have. */
static void find_code(const double *sorted, size_t count, double *rest,
                      struct sampled_column *column)
{
    const struct robust_range none = {0};
    double number = 0;
    size_t times =
        column->range.deviation > 0 ? longest_run(sorted, count, &column->range, &number) : 0;

    if (take_code(sorted, count, number, times, rest, column))
        return;
    times = longest_run(sorted, count, NULL, &number);
    if (!take_code(sorted, count, number, times, rest, column))
        column->rest = none;
}

static bool are_floats(const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((double)(float)numbers[i] != numbers[i])
            return false;
    return true;
}

static double find_origin(const struct column_sample *sample, const struct sampled_numbers *column)
{
    const bool is_label = column->column == sample->spec->input_count;

    if (!is_label && are_floats(column->numbers, column->count)) /* most columns: no order costs */
        return 0;
    sort_doubles(column->numbers, column->count);
    return is_label ? number_origin_of_label(column->numbers, column->count)
                    : number_origin_of_input(column->numbers, column->count);
}

static bool has_few_far(const double *sorted, size_t count, const struct robust_range *range)
{
    const size_t far = count_far(sorted, count, range);

    return far <= 1 || far * FEW_FAR_OF <= count;
}

static void find_range(struct column_sample *sample, const struct sampled_numbers *numbers,
                       struct sampled_column *column)
{
    sort_doubles(numbers->numbers, numbers->count);
    robust_range_of(numbers->numbers, numbers->count, &column->range);
    find_code(numbers->numbers, numbers->count, sample->rest, column);
    if (sample->far != FAR_CUT && !has_few_far(numbers->numbers, numbers->count, &column->range))
        column->range = (struct robust_range){0};
}

static void find_middle(const struct sampled_numbers *numbers, struct sampled_column *column)
{
    sort_doubles(numbers->numbers, numbers->count);
    robust_range_of(numbers->numbers, numbers->count, &column->range);
}

void column_sample_measure(struct column_sample *sample, struct sampled_column *columns)
{
    for (uint32_t i = 0; sample && i < sample->count; i++) {
        const struct sampled_numbers *numbers = &sample->columns[i];
        struct sampled_column *column = &columns[numbers->column];

        if (is_whole_cell(sample->spec, numbers->column))
            column->odd = odd_numbers_of(numbers->numbers, numbers->count);
        if (has_origin(sample->spec, numbers->column))
            column->origin = find_origin(sample, numbers);
        if (numbers->column == sample->spec->input_count)
            find_middle(numbers, column);
        else if (sample->far != FAR_KEPT)
            find_range(sample, numbers, column);
    }
}
