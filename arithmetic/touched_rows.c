#include "arithmetic/touched_rows.h"

#include <stdlib.h>
#include <string.h>

enum status touched_rows_make(struct touched_rows *touched, uint32_t table_rows, struct error *err)
{
    if (touched->rows && touched->table_rows == table_rows) {
        touched_rows_clear(touched);
        return STATUS_OK;
    }
    touched_rows_deinit(touched);
    touched->rows = malloc((table_rows + (size_t)1) * sizeof *touched->rows);
    touched->ascending = malloc((table_rows + (size_t)1) * sizeof *touched->ascending);
    touched->numbers = calloc(table_rows + (size_t)1, sizeof *touched->numbers);
    if (!touched->rows || !touched->ascending || !touched->numbers) {
        touched_rows_deinit(touched);
        return fail_no_memory(err);
    }
    touched->table_rows = table_rows;
    return STATUS_OK;
}

void touched_rows_deinit(struct touched_rows *touched)
{
    free(touched->rows);
    free(touched->ascending);
    free(touched->numbers);
    *touched = (struct touched_rows){.rows = NULL};
}

void touched_rows_clear(struct touched_rows *touched)
{
    for (uint32_t i = 0; i < touched->count; i++)
        touched->numbers[touched->rows[i]] = 0;
    touched->count = 0;
}

static int compare(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    return (a > b) - (a < b);
}

void touched_rows_sort(struct touched_rows *touched)
{
    if (touched->count > 0 && !touched->is_sorted) {
        memcpy(touched->ascending, touched->rows, touched->count * sizeof *touched->rows);
        qsort(touched->ascending, touched->count, sizeof *touched->ascending, compare);
    }
    touched->is_sorted = true;
}

uint32_t touched_rows_below(const struct touched_rows *touched, uint32_t row)
{
    uint32_t from = 0, to = touched->count;

    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;

        if (touched->ascending[middle] < row)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}
