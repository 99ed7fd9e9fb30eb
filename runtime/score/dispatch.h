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
 * comes late. The launcher's requests are the crew's (crew.h).
 *
 * Staging: the last row is what is settled over all others (runtime/data/spool/spool_settle.h), and
 * is leased when those are done. Then each worker gets STAGED, the job has not ended, and a master
 * that trains leads it (crew_hand_on).
 *
 * A connection that closes proves nothing. What became of its scorer is known when its index sends
 * HELLO again: a newer incarnation means that it died over its shard, the same one that only the
 * connection broke. A scorer that does not come back within missed_ms was lost. Silence is not
 * blamed on the rows either.
 *
 * Pure: no clock, socket, thread or file. See outbox.h.
 */
#pragma once

#include "runtime/role/crew.h"
#include "runtime/score/ledger.h"

#define DISPATCH_LEASES_MAX 4   /* leases that a worker holds at once */
#define DISPATCH_DEATHS_MAX 200 /* over leases, without a shard that was done in between */

/* ----- state ----- */

struct dispatch_options {
    struct crew_options crew;
    uint64_t rows;
    uint32_t shard_rows;
    uint32_t leases_per_worker; /* 1 to DISPATCH_LEASES_MAX */
    bool keeps_bad_rows;        /* a row that kills is put aside; else the job fails */
    bool stages;
    const struct settled_rows *settled; /* by masters before; borrowed by dispatch_init alone */
    size_t settled_count;
    int64_t missed_ms; /* a scorer whose connection closed is lost after that */
    int64_t backup_ms; /* a shard is not slow before that */
};

struct dispatch_worker {
    struct crew_member member;
    bool is_missed; /* its connection closed, and its leases wait until the cause is known */
    int64_t missed_at;
    struct lease leases[DISPATCH_LEASES_MAX]; /* in the order in which it scores them */
    uint32_t lease_count;
    int64_t busy_since; /* at leases[0], while it has one */
};

struct dispatch {
    struct crew crew; /* is_handed_on: all rows are staged */
    struct dispatch_options options;
    struct ledger *ledger;           /* NULL for a table without rows */
    bool settles;                    /* staging: the ledger has the last row, too */
    struct dispatch_worker *workers; /* the crew's members */
    uint32_t deaths;                 /* over leases, since a shard was done */
    uint64_t rows_before;            /* settled by masters before */
    uint64_t rows_redone, stale;
    int64_t claim_at;
    bool has_started, has_got_on; /* reported: that it began, that this dispatcher settled rows */
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
