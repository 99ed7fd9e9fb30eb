/*
 * shard_master.h - the master of a job whose weights lie on parameter servers: which worker does
 * which shard, who the servers are, what is stored about the job, and when all is learned.
 *
 *     WAITING --min_workers are here--> RUNNING --the model is in a checkpoint--> learned
 *     any of them --FAILED of a role, UNABLE for good, the launcher gives up--> FAILED
 *     any of them --cancel--> CANCELLED
 *
 *     server --SERVER: what it has counted--> shards that it lacks are opened again
 *                                             (shard_board.h); SERVERS to all workers, FORGET of
 *                                             those that are gone
 *     worker --HELLO------> SERVERS, LEASE, LEASE     as many as it may hold in advance
 *            --SHARD_DONE-> done, if by the newest SERVERS; else it is to be done again; LEASE: of
 * a shard that another has, too, when none is left
 *            --LEAVING----> its leases go to others, END
 *
 * The number of servers may change meanwhile, and rows leave a server that is hot (shard_move.h):
 * SERVERS has those that have rows, and which.
 *
 * Each new process of a server makes a new roster, and so does another number of them. A shard that
 * was done by an older one may lack batches in the new process, whose rows come from a snapshot.
 *
 * How the rows are cut into shards the first worker says (HELLO): a pure function of statement and
 * rows. The master keeps nothing else that the servers do not know: a later master asks them, and
 * leases all shards again under ids that no earlier one gave. What is counted everywhere costs a
 * question.
 *
 * When all shards are done, and all servers are here, a worker is leased what lies behind the last
 * shard: it collects all rows (push_worker.h). Its state is asked for by pieces and stored as the
 * job's checkpoint. A new roster meanwhile throws away what was collected. When the checkpoint is
 * whole, the servers get END and the workers STAGED, the job has not ended, and a master that
 * trains (runtime/train/master/master.h) leads it: it goes on from the checkpoint, where there is
 * nothing to learn, to measure and to publish the model.
 *
 * A process that is silent for dead_ms is replaced (outbox.h); the launcher has workers under the
 * indexes 0 to worker_count - 1, and the servers behind them.
 *
 * Pure: no clock, socket, thread or file. See outbox.h.
 */
#pragma once

#include "runtime/ps/master/shard_board.h"
#include "runtime/ps/master/shard_move.h"
#include "runtime/ps/server/server_balance.h"
#include "runtime/ps/server/shard_counts.h"
#include "runtime/ps/worker/batch_learning.h"
#include "runtime/role/crew.h"

struct shard_master_options {
    struct crew_options crew; /* servers 0: no more than server_count */
    uint64_t identity;
    uint32_t
        server_count; /* at least 1: the servers that have the rows until there is another layout */
    int64_t
        pause_ms; /* most pause of workers while the number of servers changes, at first; 0: any */
    int64_t balance_ms; /* between two moves of rows away from a server that is hot, at first;
                           0: none move for that */
    uint32_t leases_per_worker; /* 1 at least */
    uint32_t lanes;             /* lanes that take steps together; 0: workers go by themselves */
};

/* A worker or a server, by its index. */
struct shard_member {
    struct crew_member member;
    uint32_t leased; /* to a worker over its connection, and not handed in */
    /* A server's members: */
    char address[MESSAGE_ADDRESS_MAX + 1]; /* where workers reach it */
    struct server_layout layout, next; /* its rows' layout; the one that it was told to prepare */
    struct shard_counts held;          /* where has_held: batches, while nothing is counted */
    bool has_held, has_fetched;
    uint64_t clock, least; /* shard_steps.h: steps that it knows its rows before */
    bool is_asked;         /* for them; the least of all then */
    uint64_t asked_least;
};

/* An epoch's loss, as its workers have reported it. */
struct epoch_loss {
    double loss;
    uint64_t rows;
    uint32_t shards;
};

/* The collection of the state, which follows the last shard, on its way into a checkpoint. */
struct shard_collection {
    uint64_t lease; /* 0: nobody has it */
    uint32_t worker;
    bool is_collected, is_storing;
    struct checkpoint head;
    uint64_t received; /* bytes */
};

struct shard_master {
    struct crew crew; /* is_handed_on: the checkpoint is stored */
    struct shard_master_options options;
    struct shard_plan plan; /* shards_per_epoch 0: not known yet */
    struct shard_board board;
    struct epoch_loss *losses; /* (plan.epochs) */
    double loss;               /* mean over the rows reported last; NaN: none yet */
    uint64_t roster;
    struct shard_member *workers, *servers; /* the crew's members */
    struct shard_move move;
    struct server_balance balance; /* measured under the layout in force */
    struct shard_collection collection;
    uint64_t late;    /* shards that were done by an older roster */
    bool has_started; /* reported */
};

/* ----- life ----- */

enum status shard_master_init(struct shard_master *master,
                              const struct shard_master_options *options, int64_t now_ms,
                              struct outbox *outbox, struct error *err);
void shard_master_deinit(struct shard_master *master);

/* ----- messages and time ----- */

void shard_master_on_message(struct shard_master *master, int64_t now_ms, peer_id from,
                             const struct message *message, struct outbox *outbox);
void shard_master_on_disconnect(struct shard_master *master, int64_t now_ms, peer_id peer,
                                struct outbox *outbox);
void shard_master_on_tick(struct shard_master *master, int64_t now_ms, struct outbox *outbox);
/* The checkpoint was stored, or not: `why`. */
void shard_master_on_stored(struct shard_master *master, int64_t now_ms, uint64_t id,
                            const struct error *why, struct outbox *outbox);

/* The request of the launcher that is not the crew's (crew.h): so many parameter servers; an older
 * version than is known does not count. */
void shard_master_want_servers(struct shard_master *master, int64_t now_ms, uint64_t version,
                               uint32_t servers, struct outbox *outbox);
