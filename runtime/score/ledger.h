/*
 * ledger.h - which worker scores which rows, and which rows are settled.
 *
 *              claim                 complete
 *     todo -------------> leased -------------> done
 *      ^                  |    |
 *      +--- lost ---------+    |  the worker left, died of something else, or was late
 *                              |
 *   suspect <--- crashed ------+  the worker died over it
 *      |
 *      +--- claim, alone --> crashed again: halved, both halves suspect;
 *                            a single row, LEDGER_CRASHES_MAX times: bad
 *
 * For work that needs no common step: prediction and evaluation of a table. The
 * rows 0 to rows - 1 are cut into shards of shard_rows; a shard is worked on
 * under a lease. Every row ends as done or bad, once, and stays so.
 *
 * Lease ids are never used again, in no later incarnation either where each
 * gives another `first_lease`. So a worker that was presumed dead and comes back
 * cannot complete a shard that has been leased to another one since.
 *
 * A worker that dies may have had several leases; the oldest is taken for the one
 * it worked on. As that may be wrong, a first crash only makes a suspect. A suspect
 * is worked on last, by a worker that has nothing else, and then the blame is
 * certain: a row is never bad because a worker died over another one. It is
 * certain as long as no worker works on rows that the ledger does not know of: a
 * worker that does not get on is to be replaced (ledger_worker_gone), and a
 * worker drops what an earlier master leased to it.
 *
 * When nothing is left to claim, shards that take twice as long as shards took
 * of late are given to a second worker. The first result counts. Suspects are
 * not: they would cost two workers.
 *
 * The store has the rows that are settled, the ledger only those in between. So
 * memory grows with workers and suspects, not with shards, and no call costs more
 * than the leases of a worker.
 *
 * A lease has no deadline: its worker has it until it has ended, or was silent for
 * too long (crew.h).
 *
 * Pure: no I/O, clock or lock; the caller passes the time in. Everything is
 * allocated in ledger_new.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"

#define LEDGER_CRASHES_MAX           3 /* crashes over a single row alone, then it is bad */
#define LEDGER_SUSPECTS_MAX          65536
#define LEDGER_LEASES_PER_WORKER_MAX 64
#define LEDGER_WORKERS_MAX           65536
#define LEDGER_NEVER                 INT64_MAX

/* ----- types ----- */

/* Rows that an earlier incarnation settled. */
struct settled_rows {
    uint64_t first, count;
    bool is_bad;
};

struct ledger_options {
    uint64_t rows;
    uint32_t shard_rows; /* rows of one shard; the last may have fewer */
    uint32_t workers_max, leases_per_worker;
    uint32_t suspects_max;              /* shards that have crashed a worker and are not settled */
    uint64_t first_lease;               /* id of the first lease; each lease takes the next */
    int64_t backup_ms;                  /* a shard is not slow before that */
    const struct settled_rows *settled; /* ascending; borrowed by ledger_new alone */
    size_t settled_count;
};

/* A lease as master and worker name it. The slot is its place in the ledger, the id shows whether
 * it is still that lease. */
struct lease {
    uint64_t id;
    uint32_t slot, worker;
    uint64_t first; /* rows first to first + count - 1 */
    uint32_t count;
    bool is_backup; /* another worker works on the same rows */
};

enum ledger_answer {
    LEDGER_LEASED,
    LEDGER_WAIT,    /* nothing for this worker now */
    LEDGER_FINISHED /* every row is settled */
};

enum ledger_cause {
    LEDGER_LOST,   /* not the rows' fault: preempted, its node lost, late, drained */
    LEDGER_CRASHED /* the worker died of what it did */
};

enum ledger_outcome {
    LEDGER_RETURNED, /* to be claimed again */
    LEDGER_SUSPECTED,
    LEDGER_HALVED,
    LEDGER_BAD /* the single row of the lease is settled as bad */
};

struct ledger;

/* ----- life ----- */

/* INVALID for options out of range; CORRUPT for settled rows that overlap, are
 * not in order or not there. */
enum status ledger_new(const struct ledger_options *options, struct ledger **ledger,
                       struct error *err);
void ledger_free(struct ledger *ledger);

/* ----- leases ----- */

/*
 * A shard for the worker. After WAIT ask again at *retry_at at the latest, and
 * whenever a lease has ended. Workers are numbered from 0 to workers_max - 1.
 */
enum ledger_answer ledger_claim(struct ledger *ledger, uint32_t worker, int64_t now_ms,
                                struct lease *lease, int64_t *retry_at);

/* The worker has the lease still. */
bool ledger_holds(const struct ledger *ledger, uint32_t worker, uint64_t id, uint32_t slot);

/*
 * The rows of the lease are done; *lease says which. To be stored in the same
 * transaction as their results. STALE, and the results are to be thrown away, when
 * the lease was taken back, its rows were completed under another one, or it
 * belongs to another worker.
 */
enum status ledger_complete(struct ledger *ledger, uint32_t worker, uint64_t id, uint32_t slot,
                            int64_t now_ms, struct lease *lease, struct error *err);

/* ----- leases that are lost ----- */

/*
 * Take a lease back. LIMIT when the crash would make one suspect too many: the
 * lease is taken back as if it were lost, and the caller ends the job.
 * STALE when there is no such lease.
 */
enum status ledger_take_back(struct ledger *ledger, uint64_t id, uint32_t slot,
                             enum ledger_cause cause, enum ledger_outcome *outcome,
                             struct error *err);

/*
 * The worker has ended: all of its leases are taken back. A crash is blamed on
 * the oldest, which becomes *blamed (count 0 when it had none), with the outcome.
 */
enum status ledger_worker_gone(struct ledger *ledger, uint32_t worker, enum ledger_cause cause,
                               struct lease *blamed, enum ledger_outcome *outcome,
                               struct error *err);

/* ----- counts ----- */

struct ledger_counts {
    uint64_t rows_done, rows_bad;
    uint64_t shards_done, leases, backups, halved; /* ever, by this ledger */
    uint32_t leased, suspects;                     /* now */
    uint64_t steps; /* elementary ones taken so far, for tests of the cost */
    size_t bytes;   /* allocated */
};
struct ledger_counts ledger_counts(const struct ledger *ledger);
bool ledger_is_finished(const struct ledger *ledger);
