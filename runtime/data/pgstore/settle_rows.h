/*
 * settle_rows.h - the spools of a job whose workers have staged all shards: what is known over all
 * rows (spool_settle.h), and the list of the files that they lie in.
 *
 *     indices of all shards, hashes of all rows --> train.spool, "settled" --> rows_JOB
 *
 * One worker does it. Where two do, the first counts: both store the same.
 */
#ifndef RUNTIME_DATA_PGSTORE_SETTLE_ROWS_H
#define RUNTIME_DATA_PGSTORE_SETTLE_ROWS_H

#include "runtime/data/pgstore/staged_rows.h"
#include "runtime/data/spool.h"

struct settled_spool {
    const char *name; /* "train" */
    const struct spool_column *columns;
    size_t column_count;
    uint32_t shards;
    struct spool_order order;
};

/* Works in the folder, and leaves nothing there. */
enum status pgstore_settle(struct pgstore *store, const char *folder,
                           const struct settled_spool *spools, size_t count, struct error *err);

#endif
