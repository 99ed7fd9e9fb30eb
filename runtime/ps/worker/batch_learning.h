/*
 * batch_learning.h - what a worker computes whose weights lie on parameter servers, as a table of
 * functions: the simulator puts a toy in its place.
 *
 *     open a shard --> select the rows of a batch --weights--> compute their gradient --> close it
 *     collect -------> select some of all rows -----weights--> compute keeps them ------> ...
 *                                                              read_learned: the learner's state
 *
 * When all shards are done a worker collects what the servers have, as a state from which a worker
 * that trains (worker.h) goes on to measure and to publish the model.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "runtime/ps/worker/shard_plan.h"

/* Rows of the tables of weights that a batch needs. */
struct batch_rows {
    const uint32_t *counts; /* (table_count) */
    const uint64_t *ids;    /* table by table; of each strictly ascending */
    const uint32_t *seen;   /* how many rows of data selected each: 1 at least */
};

/* The loss of rows of data, summed. */
struct batch_loss {
    double loss;
    uint64_t rows;
};

/* See worker.h. */
struct learned_state {
    uint64_t phase, step, rows_done;
    uint64_t bytes;
};

struct batch_learning {
    void *self;
    struct shard_plan plan;
    uint32_t table_count;   /* 1 to TABLES_MAX */
    const uint32_t *widths; /* (table_count): floats of a row */
    /* A shard of the rows of data, which has so many batches, 1 at least; several may be open. */
    enum status (*open)(void *self, uint64_t shard, uint32_t *batches, struct error *err);
    void (*close)(void *self, uint64_t shard);
    /* Chooses the rows of a batch of an open shard. Borrowed until the next call. */
    enum status (*select)(void *self, uint64_t shard, uint32_t batch, struct batch_rows *rows,
                          struct error *err);
    /* Computes the batch selected last. Both arrays are rows in the order of their ids. */
    enum status (*compute)(void *self, const float *values, float *gradient, struct error *err);
    /* The loss computed since the last call. */
    struct batch_loss (*take_loss)(void *self);

    /* ---- when all is learned ---- */

    /* From now on select chooses from all rows there are, each once in so many batches, and compute
     * keeps their values: `gradient` is not used, nor is a shard. Until open is called. */
    enum status (*collect)(void *self, uint32_t *batches, struct error *err);
    /* With all of them: how large the state is that they make, and where the job is in it. */
    enum status (*learned)(void *self, struct learned_state *state, struct error *err);
    void (*read_learned)(void *self, uint64_t offset, size_t size, char *bytes);
};
