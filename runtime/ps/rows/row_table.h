/*
 * row_table.h - the rows of a table of weights that one parameter server has.
 *
 *     pull  ids -> weights                  changes nothing
 *     push  ids, gradients -> one step      makes rows, and moves them
 *
 * A row that was never pushed has the weights that it starts with, a function of (seed, table, id)
 * alone: a pull computes them, and the first push makes the row of them. So pulls can be repeated,
 * answered by a copy, or asked for while a model is measured, and change neither a bit nor the
 * memory. Dense tensors are tables, too: their blocks are rows, numbered from 0.
 *
 * The optimizer moves the rows of a push alone, elementwise as optimizer.h says, by the numbers of
 * the step that the caller names. Where steps select some of a table's rows (is_selected) and the
 * optimizer has a rule for that (optimizer_moves_rows), a row is moved as in a table that one
 * process has: what happened to it in the steps between is done first. Else it is moved as if no
 * step had been between: then penalties (l1, l2, weight decay) weigh on rows that are pushed, and
 * slots do not fade.
 *
 * With a `min_count` above 1 a row that fewer rows of data have selected is left out: it is pulled
 * as zeros, and the push that its count reaches min_count with makes it, with the weights that it
 * starts with, and does not move it, as its gradient was that of zeros. A push says how many rows
 * of data selected each id, so that counts are as exact as pushes are.
 *
 * With `expire_steps` a row that was not pushed for more than so many steps is let go: from then on
 * it is pulled, and pushed, as if it had never been. When its memory is given back
 * (row_table_sweep) makes no difference to any value.
 *
 * Steps never go back. All functions are pure but for memory.
 */
#pragma once

#include "runtime/learn/optimizer/optimizer.h"
#include "runtime/ps/rows/row_bucket.h"

#define ROW_WIDTH_MAX 4096
#define ROW_START_MAX 1e6

struct row_table_options {
    uint64_t seed;
    uint32_t number;    /* the table's, from 0: start.h's tensor */
    uint32_t width;     /* floats of a row: 1 to ROW_WIDTH_MAX */
    double start;       /* rows start uniform in +-start, but for */
    uint32_t zeros;     /* their first numbers, and */
    uint64_t zero_rows; /* rows below that, which start at 0 */
    bool is_bias;       /* has no penalty */
    bool is_selected;   /* steps select some of its rows: embeddings and their weights */
    struct descent_settings settings;
    uint64_t steps;        /* where the schedule ends */
    uint32_t min_count;    /* 0 and 1: all rows are in */
    uint32_t expire_steps; /* 0: never */
};

struct row_table_counts {
    uint64_t rows;    /* rows with a record */
    uint64_t counted; /* ids that have none yet */
    uint64_t made;    /* rows, ever */
    uint64_t expired; /* rows and counted ids that were let go and swept, ever */
};

struct row_table {
    struct row_table_options options;
    struct optimizer optimizer;
    struct optimizer_powers powers; /* the powers of the optimizer's beta2 */
    bool moves_rows;                /* by its rule for rows */
    uint32_t slots, record_floats;  /* width * (1 + slots) */
    struct row_memory *memory;
    struct row_bucket *buckets; /* (BUCKETS_PER_TABLE) */
    float *block;               /* records of some rows, by part: weights, slot 0, ... */
    float *gradient;            /* gradient of these rows */
    struct row_table_counts counts;
    struct row_snapshot *snapshot; /* row_snapshot.h; NULL: none is being taken */
    uint32_t snapshots;            /* ever begun */
};

/* INVALID for options out of range. */
enum status row_table_init(struct row_table *table, const struct row_table_options *options,
                           struct row_memory *memory, struct error *err);
void row_table_deinit(struct row_table *table);

/* Rows that a message asks for, or brings: ids strictly ascend, so that none comes twice. */
struct row_ids {
    const uint64_t *ids; /* (count) */
    uint32_t count;
};
bool row_ids_ascend(struct row_ids ids);

/* values (count, width) of the rows as they are in this step. */
void row_table_pull(struct row_table *table, uint32_t step, struct row_ids ids, float *values);

struct row_push {
    struct row_ids ids;
    const uint32_t *seen;  /* (count): rows of data that selected each, 1 at least */
    const float *gradient; /* (count, width) */
    uint32_t step;         /* the table's step */
    uint64_t rate_step;    /* the optimizer's step: for its schedule and corrections */
    float rate_factor;     /* 1, or what a stale gradient is weighed by */
};

/* Before a push: room for all rows that it makes. LIMIT, NO_MEMORY: nothing has changed. */
enum status row_table_reserve(struct row_table *table, const struct row_push *push,
                              struct error *err);
/* Cannot fail after row_table_reserve of the same push. */
void row_table_push(struct row_table *table, const struct row_push *push);

/* Gives back the memory of what has expired, of one bucket. Not while a snapshot is taken. */
void row_table_sweep(struct row_table *table, uint32_t step, uint32_t bucket);

/* Digest of all rows that have not expired: their ids, counts and values, whatever the order that
 * they came in. */
uint64_t row_table_digest(const struct row_table *table, uint32_t step);

/* Whether the entry is past its time in this step. */
static inline bool row_table_has_expired(const struct row_table *table,
                                         const struct row_entry *entry, uint32_t step)
{
    return table->options.expire_steps && step - entry->step > table->options.expire_steps;
}
