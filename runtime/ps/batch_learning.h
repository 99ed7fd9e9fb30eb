/*
 * batch_learning.h - what a worker computes whose weights lie on parameter servers, as a table of
 * functions: the simulator puts a toy in its place.
 *
 *     open a shard --> select the rows of a batch --weights--> compute their gradient --> ...
 */
#ifndef RUNTIME_PS_BATCH_LEARNING_H
#define RUNTIME_PS_BATCH_LEARNING_H

#include <stdint.h>

#include "base/error.h"

/* Rows of the tables of weights that a batch needs. */
struct batch_rows {
    const uint32_t *counts; /* (table_count) */
    const uint64_t *ids;    /* table by table; of each strictly ascending */
    const uint32_t *seen;   /* how many rows of data selected each: 1 at least */
};

struct batch_learning {
    void *self;
    uint32_t table_count;   /* 1 to TABLES_MAX */
    const uint32_t *widths; /* (table_count): floats of a row */
    /* A shard of the rows of data, which has so many batches, 1 at least. */
    enum status (*open)(void *self, uint64_t shard, uint32_t *batches, struct error *err);
    /* Of a batch of that shard. Borrowed until the next call. */
    enum status (*select)(void *self, uint32_t batch, struct batch_rows *rows, struct error *err);
    /* Of the batch selected last. Both arrays are rows in the order of their ids. */
    enum status (*compute)(void *self, const float *values, float *gradient, struct error *err);
};

#endif
