/*
 * staged_rows.h - rows that the workers of a job have read from a user's table, in rows_JOB.
 *
 *     shard 7 of train   -->  train.7.index   the index of a spool's part (spool_writer.h)
 *                             train.7.part    its bytes
 *     all shards         -->  settled         JSON: the files of the spools, and where they lie
 *                             train.spool     what is settled over all shards (spool_settle.h)
 *
 * Each file is in pieces (staged_pieces.h). The files of a shard, and those that are settled, are
 * stored in one transaction, and (file, piece) is the primary key: of two workers that store the
 * same shard one is first, and the other's is as if it had not been. So each row is there once,
 * whoever died or came back, and what a master leases decides on speed alone.
 */
#pragma once

#include "runtime/data/pgstore/pgstore.h"
#include "runtime/data/staged/staged_pieces.h"

/* Is a file of this name there? */
enum status pgstore_has_staged(struct pgstore *store, const char *name, bool *has,
                               struct error *err);
/* All of them or none; the first must not be empty. OK also where another worker was first.
 * CONNECTION after a minute. */
enum status pgstore_stage(struct pgstore *store, const struct staged_file *files, size_t count,
                          struct error *err);

/* Has the server a function of the extension's own for that, which this login may call? */
enum status pgstore_can_stage_there(struct pgstore *store, bool *can, struct error *err);

/* A call for work that the server does itself. */
struct staged_call {
    uint64_t job;
    const char *schema;       /* schema of the job's tables */
    struct slice spec, order; /* job.json; which tables (extension/engine/rows/direct_order.h) */
    /* A shard that the server makes and stores, in a transaction of its own: */
    struct slice snapshot; /* under which it is read */
    uint32_t spool, shard; /* the shard among those of its spool */
    const char *index;     /* the file of its index */
};
/* OK also where another worker was first. STALE: there is no such snapshot any more. UNSUPPORTED:
 * this server makes no such files. CONNECTION after a minute. */
enum status pgstore_stage_there(struct pgstore *in, const struct staged_call *call,
                                struct error *err);
/* Settles all shards (staged_settle.h). Errors as above, but for STALE. */
enum status pgstore_settle_there(struct pgstore *in, const struct staged_call *call,
                                 struct error *err);
/* Appends the bytes of a file. NOT_FOUND; LIMIT: beyond what the text may hold. */
enum status pgstore_read_staged(struct pgstore *store, const char *name, struct text *bytes,
                                struct error *err);
/* Reads how many bytes a shard's part has, which the index says first. */
enum status pgstore_part_bytes(struct pgstore *store, const char *index, uint64_t *bytes,
                               struct error *err);

/* From now on the store's files are those of the settled spools. NOT_FOUND: they are not settled
 * yet. */
enum status pgstore_take_staged(struct pgstore *store, struct error *err);
