/*
 * toy_rows.h - rows that are functions of their numbers, held and ordered as a learner's are.
 *
 *     table --a bucket is held--> rows of one learner in memory --given back--> away
 *             |                          |
 *             may fail, takes time       each that is used must be there
 *
 * Lanes, buckets, orders, shares and the store are those of the product (row_lanes.h,
 * step_shares.h, row_store.h). A row takes memory while it is held alone, so a table may have as
 * many as one likes.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "runtime/learn/learning.h"

struct toy_table_plan {
    uint64_t seed;
    uint64_t rows, held_out;
    uint32_t lanes, batch;
    uint32_t row_bytes; /* bytes that lanes count for their buckets; they take 20 */
};

/* The common part of all learners of a simulation, and the events that happened to them. */
struct toy_table {
    struct toy_table_plan plan;
    uint64_t *starts[2]; /* starts of ranges of keys: rows that train, and those held out */
    uint32_t *loaded_by; /* (ranges): learner that had the bucket that begins there last; 0: none */
    uint32_t learners;
    uint64_t loads, moves; /* loads of buckets; loads of buckets that another learner had before */
    uint64_t taken;        /* rows that came from far away, once for each learner that took them */
};

struct toy_table *toy_table_new(const struct toy_table_plan *plan);
void toy_table_free(struct toy_table *table);
/* Resets the table, as if no learner had been. */
void toy_table_reset(struct toy_table *table);
/* How many rows the step takes, of all lanes, and in which epoch. */
uint64_t toy_table_step_rows(const struct toy_table *table, uint64_t step);
uint32_t toy_table_epoch(const struct toy_table *table, uint64_t step);

/* A learner's rows. It must hold nothing that it does not need when it is freed. */
struct toy_rows;
struct toy_rows *toy_rows_new(struct toy_table *table);
void toy_rows_free(struct toy_rows *rows);

/* The outcome of a lane for its rows of a step, or for those that are held out: their number, and a
 * sum that knows each of them. IO: they cannot be read. A row that is not in memory ends the
 * program.
 */
struct toy_lane {
    uint64_t rows, sum;
};
enum status toy_rows_step(struct toy_rows *rows, uint64_t step, uint32_t lane,
                          struct toy_lane *made, struct error *err);
enum status toy_rows_held_out(struct toy_rows *rows, uint64_t step, uint32_t lane,
                              struct toy_lane *made, struct error *err);
/* CORRUPT where rows or their order changed by themselves. */
enum status toy_rows_verify(const struct toy_rows *rows, struct error *err);

/* How steps need them (learning.h); for how long they have kept lanes waiting, in all. */
struct learner_course toy_rows_course(const struct toy_rows *rows);
uint64_t toy_rows_waited_ms(const struct toy_rows *rows);

/* Its next load fails. */
void toy_rows_lose(struct toy_rows *rows);
/* How long loads took since this was asked last. */
int64_t toy_rows_load_us(struct toy_rows *rows);
