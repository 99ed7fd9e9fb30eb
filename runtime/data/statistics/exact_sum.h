/*
 * exact_sum.h - sums of numbers and of their squares that are never rounded.
 *
 *     rows, in tiles --add--> sums of each column --measure--> mean, scale (exact_measure.h)
 *           `------subtract-----^     ^
 *                 other sums --merge--'
 *
 * A sum is an integer in units so small that any finite number is a multiple, with room for 2^64
 * numbers of any size. So sums form a group: whatever rows are added and taken out, by however
 * many writers, in any order, ends in the same bytes, and rows may be taken out of other sums than
 * they were added to as long as these are merged later. The one rounding is that of the results.
 *
 * Numbers that are not finite do not count: a caller puts NaN where a cell is NULL.
 */
#pragma once

#include "base/bytes.h"

#define EXACT_TILE_ROWS    256 /* rows of one call */
#define EXACT_SUM_WORDS    34
#define EXACT_SQUARE_WORDS 67
#define EXACT_BYTES_MAX    (8 * (1 + EXACT_SUM_WORDS + EXACT_SQUARE_WORDS) + 4) /* per column */

/* Moments of one column; all zero: there are no rows. Sums in two's complement, the lowest word
 * first. */
struct exact_moments {
    uint64_t count;
    uint64_t sum[EXACT_SUM_WORDS];        /* in units of 2^-1074 */
    uint64_t squares[EXACT_SQUARE_WORDS]; /* in units of 2^-2148 */
};

/* Adds to moments (columns) the rows of a tile that `is_used` (rows) marks (NULL: all). Row r
 * begins at x + r stride. */
void exact_moments_add(struct exact_moments *moments, uint32_t columns, const double *x,
                       size_t stride, uint32_t rows, const uint8_t *is_used);
void exact_moments_subtract(struct exact_moments *moments, uint32_t columns, const double *x,
                            size_t stride, uint32_t rows, const uint8_t *is_used);
void exact_moments_merge(struct exact_moments *moments, const struct exact_moments *other);

/* The same sums are the same bytes. False for bytes that exact_moments_put does not write. */
void exact_moments_put(const struct exact_moments *moments, struct text *out);
bool exact_moments_read(struct byte_reader *reader, struct exact_moments *moments);
