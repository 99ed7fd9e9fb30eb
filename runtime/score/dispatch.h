/*
 * dispatch.h - the dispatcher, which is the master of a job that scores a table: which scorer
 * scores which rows, what is stored about the job, and how the job ends. It also leads a job that
 * trains as long as its workers stage the rows (`stages`): its rows are shards of the user's table
 * then, read and stored by one worker each.
 *
 *     WAITING --HELLO of min_workers--> RUNNING --every row is settled--> DONE
 *     any of them --a row that may not be bad, FAILED, the launcher gives up--> FAILED
 *     any of them --cancel--> CANCELLED
 *
 *     scorer --HELLO--> LEASE, LEASE          as many as it may hold in advance
 *            --SCORED-> its results are stored, LEASE
 *            --LEAVING> its leases go to others, END
 *
 * The ledger (ledger.h) has the shards. Results and the completion of their shard are one row of
 * the store, written before any message about them is sent. A later dispatcher reads them back and
 * leases the rest, under ids that no earlier one gave: so every dispatcher refuses a result that
 * comes late.
 *
 * Staging: the last row is what is settled over all others (runtime/data/spool_settle.h), and is
 * leased when those are done. Then each worker gets STAGED, the job has not ended, and a master
 * that trains leads it (dispatch_is_staged).
 *
 * A connection that closes proves nothing. What became of its scorer is known when its index sends
 * HELLO again: a newer incarnation means that it died over its shard, the same one that only the
 * connection broke. A scorer that does not come back within missed_ms was lost. Silence is not
 * blamed on the rows either.
 *
 * Pure: no clock, socket, thread or file. See outbox.h.
 */
#ifndef RUNTIME_SCORE_DISPATCH_H
#define RUNTIME_SCORE_DISPATCH_H

#include "runtime/role/job_facts.h"
#include "runtime/role/outbox.h"
#include "runtime/role/unable.h"
#include "runtime/role/usage.h"
#include "runtime/score/ledger.h"

#define DISPATCH_LEASES_MAX 4   /* leases that a worker holds at once */
#define DISPATCH_DEATHS_MAX 200 /* over leases, without a shard that was done in between */

/* ----- state ----- */

struct dispatch_options {
    uint64_t job;
    uint32_t incarnation; /* grows with every restart: so do epochs and leases */
    uint32_t min_workers, max_workers;
    uint64_t rows;
    uint32_t shard_rows;
    uint32_t leases_per_worker; /* 1 to DISPATCH_LEASES_MAX */
    bool keeps_bad_rows;        /* a row that kills is put aside; else the job fails */
    bool stages;
    const struct settled_rows *settled; /* by masters before; borrowed by dispatch_init alone */
    size_t settled_count;
    int64_t dead_ms;   /* silence after which a worker is replaced; 0: never */
    int64_t missed_ms; /* a scorer whose connection closed is lost after that */
    int64_t backup_ms; /* a shard is not slow before that */
    int64_t report_ms; /* between progress rows */
    struct job_facts facts;
};

struct dispatch_worker {
    peer_id peer; /* PEER_NONE: not here */
    uint32_t incarnation;
    bool was_seen;
    bool is_missed; /* its connection closed, and its leases wait until the cause is known */
    int64_t heard_at, missed_at;
    struct lease leases[DISPATCH_LEASES_MAX]; /* in the order in which it scores them */
    uint32_t lease_count;
    int64_t busy_since; /* at leases[0], while it has one */
};

struct dispatch {
    struct dispatch_options options;
    enum job_state state;
    struct error failure;
    struct ledger *ledger; /* NULL for a table without rows */
    bool settles;          /* staging: the ledger has the last row, too */
    uint64_t epoch;
    struct dispatch_worker *workers; /* by index, (options.max_workers) */
    uint32_t live, wanted;
    uint64_t wanted_version;
    uint32_t deaths;      /* over leases, since a shard was done */
    uint64_t rows_before; /* settled by masters before */
    uint64_t rows_redone, stale;
    int64_t started_at; /* the job's start: earlier masters' time counted */
    int64_t waiting_since, waited_ms;
    struct usage usage;
    struct unable unable;
    int64_t ticked_at, claim_at, reported_at, rate_at;
    uint64_t rate_rows;
    double rows_per_second;
    bool has_started, has_got_on; /* reported: the job began; this dispatcher settled rows */
};

/* ----- life ----- */

/* CORRUPT for settled rows that overlap or are not there. */
enum status dispatch_init(struct dispatch *dispatch, const struct dispatch_options *options,
                          int64_t now_ms, struct outbox *outbox, struct error *err);
void dispatch_deinit(struct dispatch *dispatch);

/* ----- messages and time ----- */

void dispatch_on_message(struct dispatch *dispatch, int64_t now_ms, peer_id from,
                         const struct message *message, struct outbox *outbox);
void dispatch_on_disconnect(struct dispatch *dispatch, int64_t now_ms, peer_id peer,
                            struct outbox *outbox);
void dispatch_on_tick(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox);

/* ----- requests ----- */

/* From the launcher, as of a master that trains (master.h). */
void dispatch_cancel(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox);
void dispatch_want(struct dispatch *dispatch, int64_t now_ms, uint64_t version, uint32_t workers,
                   struct outbox *outbox);
void dispatch_leave(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox);
void dispatch_fail(struct dispatch *dispatch, int64_t now_ms, const struct error *err,
                   struct outbox *outbox);
/* END to all workers, and nothing stored: a job that was deleted needs no store. */
void dispatch_end_workers(struct dispatch *dispatch, struct outbox *outbox);

bool dispatch_has_ended(const struct dispatch *dispatch);
/* All rows are staged, and every worker was told so: nothing more is to be called. */
bool dispatch_is_staged(const struct dispatch *dispatch);

#endif
