/*
 * touched_rows.h - which rows of a table hold anything, so that no one need look at the others.
 *
 *     a table of R rows:  . . x . . . x x . . .      rows: 2, 6, 7 in the order they were touched
 *
 * Whoever keeps values by row clears those of the rows that are listed, and then the list: what it
 * costs follows from the rows that were touched, and not from the table.
 */
#ifndef RUNTIME_LEARN_TOUCHED_ROWS_H
#define RUNTIME_LEARN_TOUCHED_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct touched_rows {
    uint32_t *rows, count; /* each once */
    uint8_t *is_touched;   /* (table_rows) */
    uint32_t table_rows;
    bool is_sorted;
};

/* Of a table of so many rows, none of them touched; `touched` is zero or was made before. */
enum status touched_rows_make(struct touched_rows *touched, uint32_t table_rows, struct error *err);
void touched_rows_deinit(struct touched_rows *touched);

static inline void touched_rows_add(struct touched_rows *touched, uint32_t row)
{
    if (!touched->is_touched[row]) {
        touched->is_touched[row] = 1;
        touched->rows[touched->count++] = row;
        touched->is_sorted = false;
    }
}

void touched_rows_clear(struct touched_rows *touched);
/* In ascending order from now on, until others are added. */
void touched_rows_sort(struct touched_rows *touched);
/* Of sorted ones: how many are below that row. */
uint32_t touched_rows_below(const struct touched_rows *touched, uint32_t row);

#endif
