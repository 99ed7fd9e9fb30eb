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
 * i * lanes + l. Buckets are runs of positions then, which all lanes share.
 *
 * The code that computes lanes holds the buckets that a step takes rows of:
 *
 *     row_lanes_begin_step --> row_lanes_hold, lanes after lanes --> the next step ...
 *                                             --> row_lanes_release
 *
 * Where rows come from far away, the buckets that a step takes rows of are expected first, those of
 * all lanes side by side, and then the next one of each lane, which comes while steps compute.
 *
 * A bucket is held (row_store.h) and its rows are ordered when a step takes the first of them. It
 * is given back, order and all, when a step has taken the last, or none: the lane moved elsewhere,
 * or the state did. Any step can follow any other one.
 */
#pragma once

#include "runtime/data/dataset/dataset.h"

/* Bytes of encoded rows: those of a bucket, and of one bucket of each lane together. */
#define ROW_LANES_BUCKET_BYTES ((uint64_t)4 << 20)
#define ROW_LANES_BYTES        ((uint64_t)128 << 20)
/* Rows of a lane: steps' shares compare products of such counts
 * (runtime/learn/descent/step_shares.h). */
#define ROW_LANES_ROWS_MAX (UINT32_MAX / 2)

/* Rows that a step takes of a lane. */
struct lane_share {
    uint32_t first, count; /* rows of the lane, in the epoch's order */
    uint32_t position;     /* place of the first one in the batch */
};

struct lane_bucket {
    uint64_t place;  /* where its rows begin in `order`, in the epoch of its lane */
    uint32_t sum;    /* checksum of the order, as it was made */
    uint64_t needed; /* the step that took rows of it last */
    bool is_held, is_ordered;
    bool is_expected; /* in this epoch */
    bool is_taken;    /* the needed step took its last row */
};

struct row_span;

struct row_lanes {
    const struct dataset *dataset;
    uint32_t lanes, buckets;        /* buckets of each lane; without shuffle of all together */
    uint32_t bucket_count;          /* in all */
    uint64_t *starts;               /* (bucket_count + 1): the first row of each bucket */
    struct lane_bucket *all;        /* (bucket_count) */
    uint64_t *epochs;               /* (lanes): 1 + the epoch that places are of; 0: none */
    uint32_t *sequence;             /* (bucket_count): of each lane its buckets, by their places */
    struct bucket_key *keys;        /* (buckets): of the lane whose buckets are being placed */
    uint32_t *held, held_count;     /* (bucket_count) */
    uint32_t *wanted, wanted_count; /* (bucket_count): that are to be ordered */
    struct row_span *released;      /* (bucket_count): space of a call */
    uint64_t step;
    uint64_t *space; /* (space_count), to sort in: of the largest bucket for each of the team */
    size_t space_count;
    uint32_t *order; /* (train.rows), reserved; at the places of a bucket its rows, counted from
                        the first one of the lane, else 0. NULL without shuffle */
    bool was_bad;    /* an order had changed by itself before it was given back */
};

/* It keeps the pointer to the data set. LIMIT for a lane of too many rows, NO_MEMORY. */
enum status row_lanes_init(struct row_lanes *lanes, const struct dataset *dataset, uint32_t count,
                           struct error *err);
void row_lanes_deinit(struct row_lanes *lanes);

/* The rows of all lanes before this one. */
uint64_t row_lanes_first(const struct row_lanes *lanes, uint32_t lane);
/* Where the lane's row i is: of the order; without shuffle the row itself. */
uint64_t row_lanes_place(const struct row_lanes *lanes, uint32_t lane, uint32_t i);

/* Gives back what the step before was the last to take rows of. A step may begin repeatedly. The
 * team shares the work, here and below. */
void row_lanes_begin_step(struct row_lanes *lanes, uint64_t step, struct team *team);

/*
 * The rows that the step takes of the lanes [first, first + *count) are held, and in the epoch's
 * order. shares: (lanes). *count becomes less where that would take more than some milliseconds,
 * but not less than a lane for each of the team. After a failure (row_store_hold's) nothing is
 * known of these lanes.
 */
enum status row_lanes_hold(struct row_lanes *lanes, uint32_t epoch, const struct lane_share *shares,
                           uint32_t first, uint32_t *count, struct team *team, struct error *err);
/* Gives back everything. */
void row_lanes_release(struct row_lanes *lanes, struct team *team);

/* Whether all orders are, and were, as they were made. */
bool row_lanes_are_intact(const struct row_lanes *lanes);
