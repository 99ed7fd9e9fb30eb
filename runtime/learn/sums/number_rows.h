/*
 * number_rows.h - training rows as numbers alone, for learners to which NULL is a number's mean and
 * says nothing else.
 */
#pragma once

#include "runtime/data/dataset/dataset.h"
#include "scoring/transform/spread.h"

/* The columns of a training row that somebody holds: x (spread_numbers_width). `row` is room,
 * (dense_width). */
static inline void number_row_take(const struct dataset *dataset, uint64_t number, float *row,
                                   double *x)
{
    const struct transform *transform = &dataset->transform;

    if (transform->dense_width > 0)
        dataset_take_row(dataset, &dataset->train, number, row);
    spread_numbers(transform, row, dataset->train.ids + number * transform->id_count, x);
}
