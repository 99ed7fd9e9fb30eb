/*
 * shard_world.h - one history of a table that is scored by leased shards, from one seed.
 *
 *     worker --ASK--> master --LEASE--> worker --BEAT, DONE--> master --> store
 *
 * The master is the ledger (runtime/score/ledger.h) and what any master has to do for
 * it: store results and completion in one transaction, treat a worker whose
 * lease is overdue as gone, begin again from the store. Messages are lost, repeated
 * and overtake each other; workers are killed, freeze and thaw, are slow, and
 * die over certain rows; masters are killed before and after a transaction, and
 * freeze while another takes over.
 *
 * Checked: each row has its own result once, or is bad once; the bad rows are
 * those that kill; the job ends.
 */
#pragma once

#include "base/error.h"
#include "tests/sim/scored_table.h"

struct shard_plan {
    struct table_plan table;
    uint32_t losses, repeats; /* chances in a thousand for a message */
    uint32_t kills;           /* kills of workers: no row's fault */
    uint32_t crashes;         /* crashes of workers, as if a row had done it: at most 2 */
};

/* Events that this simulation promises to make happen over many seeds. */
#define SHARD_FAULT_MAP(X)                                                                         \
    X(KILL, "a worker is killed")                                                                  \
    X(CRASH, "a worker crashes by itself, as if a row had done it")                                \
    X(DEADLY_ROW, "a row kills the worker that scores it")                                         \
    X(FREEZE, "a worker freezes and thaws")                                                        \
    X(MASTER_KILL, "a master is killed")                                                           \
    X(MASTER_FREEZE, "a master freezes, and another takes over")                                   \
    X(TORN_STORE, "a master dies in a transaction that is not stored")                             \
    X(TORN_AFTER, "a master dies right after a transaction was stored")                            \
    X(LOSS, "a message is lost")                                                                   \
    X(REPEAT, "a message comes twice")                                                             \
    X(SLOW, "a worker is 30 times slower")                                                         \
    X(BACKUP, "a lease is given to a second worker")                                               \
    X(STALE, "a result comes under a lease that is not valid any more")                            \
    X(HALVED, "rows that may be bad are halved")                                                   \
    X(BAD, "a row is found to be bad")                                                             \
    X(STALE_MASTER, "a master writes that another has followed")

enum shard_fault {
#define X(name, text) SHARD_FAULT_##name,
    SHARD_FAULT_MAP(X)
#undef X
        SHARD_FAULTS
};

struct shard_result {
    uint64_t faults[SHARD_FAULTS];
    uint64_t messages, leases, backups, stale, halved, bad, masters, stale_masters;
};

enum status shard_world_run(const struct shard_plan *plan, struct shard_result *result,
                            struct error *err);
