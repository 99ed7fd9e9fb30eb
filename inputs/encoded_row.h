/*
 * encoded_row.h - one row while its inputs are encoded one after the other.
 *
 *     encoded_row_begin -> encoder->encode of each input, in their order -> encoded_row_finish
 *
 * Numbers are standardised some at a time, as divisions are slow one by one; a date and a list are
 * read once for all inputs that are parts of them.
 */
#pragma once

#include "inputs/input.h"

#define ROW_NUMBERS 64 /* numbers of dense that are standardised at a time */

struct encoded_row {
    float *dense;
    int32_t *ids;
    const double *means, *scales; /* (columns of dense) */
    const float *limits;
    bool keeps_numbers, has_rests; /* the transform's */

    uint32_t first, count; /* the columns of dense whose numbers wait */
    double numbers[ROW_NUMBERS];

    uint32_t date_column; /* the column of `date`; UINT32_MAX: none yet */
    bool date_is_null;
    struct date date;

    bool list_is_null;
    double list[LIST_NUMBERS_MAX]; /* the numbers of the last list */
};

static inline void encoded_row_begin(struct encoded_row *row)
{
    row->first = row->count = 0;
    row->date_column = UINT32_MAX;
}
/* The number of a numeric input, into dense. */
void encoded_row_put(struct encoded_row *row, const struct transform_input *input, double number,
                     bool is_null);
void encoded_row_finish(struct encoded_row *row);

/* (number - mean) / scale, cut to the limit, of each of `count` columns. */
void numbers_standardise(const double *restrict numbers, size_t count, const double *restrict means,
                         const double *restrict scales, const float *restrict limits,
                         float *restrict dense);

static inline float number_standardised(double number, double mean, double scale, float limit)
{
    float dense = (float)((number - mean) / scale);

    dense = dense > limit ? limit : dense;
    return dense < -limit ? -limit : dense;
}
/* The part of the number that this float lost. */
static inline float number_rest(const struct transform_input *input, double number)
{
    const double whole = (number - input->mean) / input->scale;

    return fabs(whole) < (double)input->limit ? (float)(whole - (double)(float)whole) : 0;
}
