/*
 * id_rows.h - z (n, width) += the rows of a table (rows, width) that the ids of
 * each row of data select, and back.
 *
 * The table of one-hot categories is the block of W1 that they select from.
 */
#pragma once

#include "arithmetic/touched_rows.h"
#include "scoring/transform/transform.h"

struct id_rows {
    uint32_t first; /* where the table starts in the parameters */
    uint32_t rows, width;
    uint32_t id_count;            /* ids of a row of data; a negative one selects nothing */
    const struct text_ids *texts; /* (text_count): ids that are words of one text, and count as
                                     scoring/transform/transform.h says; the others count 1 */
    uint32_t text_count;
};

void id_rows_forward(const struct id_rows *op, const float *parameters, uint32_t n,
                     const int32_t *ids, float *z);
/* `touched`: rows of the table that have a gradient. That of the one at place p is row p of the
 * table in `gradient`, += delta of the rows that selected it; behind them all is zero. */
void id_rows_backward(const struct id_rows *op, uint32_t n, const int32_t *ids, const float *delta,
                      float *gradient, struct touched_rows *touched);
/* The gradient of all touched rows is zero again, and none is touched. */
void id_rows_clear(const struct id_rows *op, float *gradient, struct touched_rows *touched);
