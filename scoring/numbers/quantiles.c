#include "scoring/numbers/quantiles.h"

#include <stdbool.h>

/* Row number i of `rows`, in the order of their values, is the first of bucket b. */
static uint64_t first_row_of(uint64_t rows, uint32_t buckets, uint32_t b)
{
    return rows / buckets * b + rows % buckets * b / buckets;
}

uint32_t quantile_bounds(const struct counted_number *numbers, uint32_t count, uint32_t buckets,
                         double *bounds)
{
    uint64_t rows = 0, before = 0;
    uint32_t found = 0, b = 1;

    for (uint32_t i = 0; i < count; i++)
        rows += numbers[i].rows;
    for (uint32_t i = 0; i < count; before += numbers[i++].rows) {
        const uint64_t end = before + numbers[i].rows;
        bool is_bound = false;

        for (; b < buckets && first_row_of(rows, buckets, b) < end; b++)
            is_bound = i > 0;
        if (is_bound)
            bounds[found++] = numbers[i].value;
    }
    return found;
}
