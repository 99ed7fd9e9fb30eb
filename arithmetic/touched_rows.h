/*
 * touched_rows.h - which rows of a table hold anything, so that no one need look at the others.
 *
 *     a table of R rows:  . . x . . . x x . . .      rows: 6, 2, 7 as they were touched
 *                             2       6 7            places:  1, 0, 2
 *
 * What is kept of touched rows lies side by side, at their places: it takes as much memory as they
 * are, is cleared at once, and is near where the rows lie far apart.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct touched_rows {
    uint32_t *rows, count; /* each once, by its place */
    uint32_t *ascending;   /* (count), when is_sorted */
    uint32_t *numbers;     /* (table_rows): 1 + the place of a row; 0: it is not touched */
    uint32_t table_rows;
    bool is_sorted;
};

/* Starts with a table of so many rows, none touched. `touched` is zero or was made before. */
enum status touched_rows_make(struct touched_rows *touched, uint32_t table_rows, struct error *err);
void touched_rows_deinit(struct touched_rows *touched);

static inline bool touched_rows_has(const struct touched_rows *touched, uint32_t row)
{
    return touched->numbers[row] > 0;
}

/* The place of a row that is touched. */
static inline uint32_t touched_rows_place(const struct touched_rows *touched, uint32_t row)
{
    return touched->numbers[row] - 1;
}

/* Asks for what is known of a row that will be touched soon: rows lie anywhere. */
static inline void touched_rows_expect(const struct touched_rows *touched, uint32_t row)
{
    __builtin_prefetch(&touched->numbers[row], 1);
}

/* Touches the row, if it is not yet. Returns its place. */
static inline uint32_t touched_rows_add(struct touched_rows *touched, uint32_t row)
{
    if (!touched_rows_has(touched, row)) {
        touched->rows[touched->count++] = row;
        touched->numbers[row] = touched->count;
        touched->is_sorted = false;
    }
    return touched_rows_place(touched, row);
}

void touched_rows_clear(struct touched_rows *touched);
/* Lists the rows in ascending order, too; places stay. */
void touched_rows_sort(struct touched_rows *touched);
/* The number of touched rows below that row; they are sorted. */
uint32_t touched_rows_below(const struct touched_rows *touched, uint32_t row);
