/*
 * staged_settle.h - the spools of a job whose workers have staged all shards: what is known over
 * all rows (spool_settle.h), and the list of the files that they lie in.
 *
 *     indices of all shards, hashes of all rows --> train.spool, "settled" --> rows_JOB
 *                                                   train.census, where the order counts cells
 *
 * A worker does it over its connection (pgstore/settle_rows.h), or the server itself
 * (extension/postgres/server/staging/stage_shard.c). Where two do, the first counts: both store the
 * same.
 */
#pragma once

#include "base/text.h"
#include "runtime/data/spool/spool.h"
#include "runtime/data/staged/sparse_files.h"
#include "runtime/data/staged/staged_pieces.h"

struct settled_spool {
    const char *name; /* "train" */
    const struct spool_column *columns;
    size_t column_count;
    uint32_t shards;
    struct spool_order order; /* more than one thread only where the store may be called by any */
};

/* The table that has what was staged. */
struct staged_table {
    void *self;
    /* Reads how many bytes a shard's part has, which the index says first. */
    enum status (*part_bytes)(void *self, const char *index, uint64_t *bytes, struct error *err);
    /* Appends the bytes of a file. LIMIT: beyond what the text may hold. */
    enum status (*read)(void *self, const char *name, struct text *bytes, struct error *err);
    /* The files of parts in the folder, of full size, whose bytes come when they are needed. */
    enum status (*open)(void *self, const struct sparse_file *parts, size_t count,
                        const char *folder, const struct spool_source **source, struct error *err);
    /* All of them or none. */
    enum status (*store)(void *self, const struct staged_file *files, size_t count,
                         struct error *err);
    /* Asked now and then; NULL: it never is. */
    bool (*is_stopped)(void *self);
};

/* Works in the folder, and leaves nothing there. */
enum status staged_settle(const struct staged_table *table, const char *folder,
                          const struct settled_spool *spools, size_t count, struct error *err);
