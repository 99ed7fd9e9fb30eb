/*
 * toy.h - a learner that is a small deterministic machine.
 *
 * It has every trait of the model seam that the runtime could get wrong:
 * phases of several kinds and sizes, phases without reals, repeated steps, a
 * state that any wrong sum changes for good. Its integers count the lanes and
 * rows of each sum, so that a row that is missing or counted twice ends the
 * simulation at once. With a table its lanes hold, order and use rows of it as a real learner's do.
 */
#pragma once

#include "runtime/learn/learner.h"
#include "tests/sim/toy_rows.h"

struct toy_plan {
    uint64_t seed;
    uint32_t lanes, phases, rows, reals; /* lanes: at most 64 */
    uint32_t words, word_width;          /* rows of a table, of which a lane touches few; 0: none */
    uint32_t owned;                      /* integers that reach the owner of their segment */
    bool keeps_lanes;                    /* something of the rows of each lane: lane_open */
    enum status failure;                 /* the outcome of each contribution; OK: none fails */
    struct toy_table *table; /* the table with as many lanes; NULL: phases have `rows` */
};

struct learner *toy_new(const struct toy_plan *plan);
/* The rows that it has of its table; NULL: it has none. */
struct toy_rows *toy_rows_of(struct learner *learner);
