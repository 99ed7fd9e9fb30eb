/*
 * spread.h - a row as numbers alone: its dense columns, and behind them one column for each word of
 * its categories, for kinds that measure distances (kind->spreads_words).
 *
 *     dense 0.3 -1.2, ids 1 4     ->     0.3 -1.2 | 0 1 0 | 0 1
 *
 * A word that training has not seen is in no column. Kinds to which NULL is a number's mean and
 * says nothing else leave out the columns "was NULL": spread_numbers.
 */
#pragma once

#include <string.h>

#include "scoring/transform/transform.h"

#define SPREAD_WORD 1.0f

/* Columns of such a row; the transform is finished. */
static inline size_t spread_width(const struct transform *transform)
{
    return (size_t)transform->dense_width + transform->id_rows;
}

/* row (spread_width): of dense (dense_width), ids (id_count), none of them of texts. */
static inline void spread_row(const struct transform *transform, const float *dense,
                              const int32_t *ids, float *row)
{
    memcpy(row, dense, transform->dense_width * sizeof *row);
    memset(row + transform->dense_width, 0, transform->id_rows * sizeof *row);
    for (uint32_t i = 0; i < transform->id_count; i++)
        if (ids[i] >= 0)
            row[transform->dense_width + (uint32_t)ids[i]] = SPREAD_WORD;
}

static inline uint32_t spread_number_count(const struct transform *transform)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < transform->input_count; i++)
        count += transform->inputs[i].spec.type == INPUT_NUMERIC;
    return count;
}

/* Columns of a row without those of "was NULL". */
static inline uint32_t spread_numbers_width(const struct transform *transform)
{
    return spread_number_count(transform) + transform->id_rows;
}

/* x (spread_numbers_width): of dense (dense_width), ids (id_count), none of them of texts. */
static inline void spread_numbers(const struct transform *transform, const float *dense,
                                  const int32_t *ids, double *x)
{
    double *words;
    uint32_t count = 0;

    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform->inputs[i].spec.type == INPUT_NUMERIC)
            x[count++] = (double)dense[transform->inputs[i].dense_offset];
    words = x + count;
    for (uint32_t i = 0; i < transform->id_rows; i++)
        words[i] = 0;
    for (uint32_t i = 0; i < transform->id_count; i++)
        if (ids[i] >= 0)
            words[ids[i]] = (double)SPREAD_WORD;
}
