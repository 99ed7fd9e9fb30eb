/*
 * row_lanes.h - the training rows of a data set as lanes, and the order in which a lane takes its
 * rows.
 *
 *     keys of rows       0 .......................................... 2^64
 *     lanes              |     0     |     1     |     2     |     3     |
 *     buckets of each    |  |  |  |  |  |  |  |  |  |  |  |  |  |  |  |  |
 *
 * A row's key is random bits of the seed and the row's hash, in which equal rows differ by their
 * number. A lane is one of equal ranges of keys: which rows it has is a function of the set of rows
 * and the seed alone, and lanes are nearly equally large. A bucket is one of equal ranges of a
 * lane's keys, some MiB of rows, and so a random sample of the table. In an epoch a lane takes its
 * buckets in a random order, and in each of them the rows in a random order: who has a lane needs
 * no row of another one, and reads its own bucket by bucket.
 *
 * Without shuffle positions in the SELECT's order count instead: row i of lane l is the row at
 * i * lanes + l.
 */
#ifndef RUNTIME_DATA_ROW_LANES_H
#define RUNTIME_DATA_ROW_LANES_H

#include "runtime/data/dataset.h"

#define ROW_LANES_BUCKET_BYTES ((uint64_t)4 << 20) /* of encoded rows */

struct row_lanes {
    const struct dataset *dataset;
    uint32_t lanes, buckets; /* buckets of each lane: a power of two; 1 without shuffle */
    uint32_t *starts;        /* (lanes * buckets + 1): the first place of each bucket */
    uint32_t *order;         /* (train.rows): the places of a lane hold its rows, in their order */
    uint64_t *epochs;        /* (lanes): 1 + the epoch whose order is there; 0: none */
    uint32_t *sums;          /* (lanes): of the order, as it was made */
    bool was_bad;            /* an order had changed by itself before it was made anew */
    uint32_t *places;        /* (lanes * buckets): where a bucket's rows go in an epoch */
    struct bucket_key *keys; /* (buckets): of the lane whose buckets are being ordered */
    uint64_t *space;         /* (2 * train.rows), to sort in; NULL without shuffle */
};

/* It keeps the pointer to the data set. NO_MEMORY. */
enum status row_lanes_init(struct row_lanes *lanes, const struct dataset *dataset, uint32_t count,
                           struct error *err);
void row_lanes_deinit(struct row_lanes *lanes);

/* Where the lane's rows are in `order`; of the lane behind the last, where they end. */
static inline uint32_t row_lanes_first(const struct row_lanes *lanes, uint32_t lane)
{
    return lanes->starts[(size_t)lane * lanes->buckets];
}

/* The order of the lanes [first, first + count) is that of the epoch then. */
void row_lanes_order(struct row_lanes *lanes, uint32_t epoch, uint32_t first, uint32_t count,
                     struct team *team);

/* Whether all orders are as they were made. */
bool row_lanes_are_intact(const struct row_lanes *lanes);

#endif
