/*
 * shardstore.h - the shards of a table that is scored, and their results, in job.db.
 *
 *     leased ---> done      with the results of its rows (runtime/data/store/shard_results.h)
 *        |  +---> bad       the one row that its workers died over
 *        |  +---> returned  its worker left, died of something else or was late
 *        |  +---> crashed   its worker died, and the rows may be why
 *        +------> late      another worker was first
 *
 * One row a lease, written by the dispatcher alone; `done` and `bad` once for each
 * row of the table: the results of a shard and its completion are one row here, so
 * one transaction; in a store that has a journal (journal.h) they are one entry there, and
 * the row has no results. Besides the tables that the results go to at the end.
 */
#pragma once

#include "runtime/data/store/jobstore.h"

#define SHARD_STATE_MAP(X)                                                                         \
    X(LEASED, "leased")                                                                            \
    X(DONE, "done")                                                                                \
    X(BAD, "bad")                                                                                  \
    X(RETURNED, "returned")                                                                        \
    X(CRASHED, "crashed")                                                                          \
    X(LATE, "late")

enum shard_state {
#define X(name, text) SHARD_##name,
    SHARD_STATE_MAP(X)
#undef X
};

bool shard_state_find(const char *name, enum shard_state *state);

struct shard_row {
    uint64_t lease, first;
    uint32_t count, worker;
    enum shard_state state;
    struct slice results; /* results of a DONE shard */
};

/* Replaces what is known of the lease. */
enum status shardstore_put(struct jobstore *store, const struct shard_row *row, struct error *err);
/* By a master that begins: whatever is still leased was leased by masters before. */
enum status shardstore_return_all(struct jobstore *store, struct error *err);

/* The shards that are done or bad, by first row; results are borrowed until `each`
 * returns. */
typedef enum status shard_reader(void *context, const struct shard_row *row, struct error *err);
enum status shardstore_each_settled(struct jobstore *store, bool with_results, shard_reader *each,
                                    void *context, struct error *err);
uint64_t shardstore_rows_settled(struct jobstore *store);
/* After the target was filled, or where it never will be. Not inside a transaction. */
enum status shardstore_drop_results(struct jobstore *store, struct error *err);

/* A table that the results go to: position 0 the rows, 1 the bad ones. `definition` is
 * the host's own statement that makes it. */
struct shard_target {
    struct slice schema, name, definition;
};
enum status shardstore_put_target(struct jobstore *store, int position,
                                  const struct shard_target *target, struct error *err);
/* Copies live in the arena; NOT_FOUND. */
enum status shardstore_get_target(struct jobstore *store, int position, struct arena *arena,
                                  struct shard_target *target, struct error *err);
