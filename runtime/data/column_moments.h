/*
 * column_moments.h - mean and scale of numeric columns: the same bits however many threads add them
 * up.
 */
#ifndef RUNTIME_DATA_COLUMN_MOMENTS_H
#define RUNTIME_DATA_COLUMN_MOMENTS_H

#include "runtime/data/spool.h"

struct team;

/*
 * Order-independent mean and scale (population standard deviation; 1 for a
 * constant column) of the values that are not NULL in the rows that `is_used`
 * marks (NULL: all), for the numbers [first, first + count) of a row: 64-bit
 * fixed point relative to the column's own range, by the team. Exposed for its
 * tests.
 */
struct column_moments {
    uint64_t count;
    double mean, scale;
};
enum status column_moments(const struct spool *spool, uint32_t first, uint32_t count,
                           const uint8_t *is_used, struct team *team,
                           struct column_moments *moments, struct error *err);

#endif
