#include "runtime/data/column_sample.h"

#include <stdlib.h>

#include "jobspec/jobspec_sections.h"

struct sampled_numbers {
    uint32_t column;
    size_t count;
    double *numbers; /* (COLUMN_SAMPLE_ROWS) */
};

struct column_sample {
    uint32_t rows, count;
    struct sampled_numbers *columns; /* (count) */
    double *numbers;                 /* of all of them */
};

/* ---- rows ---- */

static bool has_use(const struct jobspec *spec)
{
    const struct kind *kind = kind_of(spec);

    return spec->standardize && kind->has_robust_inputs && kind->has_robust_inputs(&spec->params);
}

static uint32_t count_numeric(const struct jobspec *spec)
{
    uint32_t count = 0;

    for (size_t i = 0; i < spec->input_count; i++)
        count += spec->inputs[i].type == INPUT_NUMERIC;
    return count;
}

/* Pages of the numbers that no row reaches are never there. */
static bool allocate(struct column_sample *sample, uint32_t count)
{
    sample->columns = calloc(count, sizeof *sample->columns);
    sample->numbers = calloc((size_t)count * COLUMN_SAMPLE_ROWS, sizeof *sample->numbers);
    return sample->columns && sample->numbers;
}

enum status column_sample_new(const struct jobspec *spec, struct column_sample **sample,
                              struct error *err)
{
    const uint32_t count = has_use(spec) ? count_numeric(spec) : 0;

    *sample = NULL;
    if (count == 0)
        return STATUS_OK;
    *sample = calloc(1, sizeof **sample);
    if (!*sample || !allocate(*sample, count)) {
        column_sample_free(*sample);
        *sample = NULL;
        return fail_no_memory(err);
    }
    for (uint32_t i = 0; i < spec->input_count; i++)
        if (spec->inputs[i].type == INPUT_NUMERIC) {
            double *numbers = (*sample)->numbers + (size_t)(*sample)->count * COLUMN_SAMPLE_ROWS;

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

bool column_sample_wants(const struct column_sample *sample)
{
    return sample && sample->rows < COLUMN_SAMPLE_ROWS;
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

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void column_sample_measure(struct column_sample *sample, struct sampled_column *columns)
{
    for (uint32_t i = 0; sample && i < sample->count; i++) {
        struct sampled_numbers *column = &sample->columns[i];

        qsort(column->numbers, column->count, sizeof *column->numbers, compare_numbers);
        robust_range_of(column->numbers, column->count, &columns[column->column].range);
    }
}
