/*
 * number_rows.h - training rows of numbers alone, for learners to which NULL is the mean and says
 * nothing else.
 */
#pragma once

#include "runtime/data/dataset.h"

/* The inputs of a training row that somebody holds, without the columns "was NULL": x (inputs).
 * `row` is room, (dense_width). */
static inline void number_row_take(const struct dataset *dataset, uint64_t number, float *row,
                                   double *x)
{
    const struct transform *transform = &dataset->transform;

    dataset_take_row(dataset, &dataset->train, number, row);
    for (uint32_t i = 0; i < transform->input_count; i++)
        x[i] = (double)row[transform->inputs[i].dense_offset];
}
