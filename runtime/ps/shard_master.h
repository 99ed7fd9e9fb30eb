/*
 * shard_master.h - the master of a job whose weights lie on parameter servers: which worker does
 * which shard, who the servers are, and when all is done.
 *
 *     RUNNING --the model is stored (shard_master_complete)--> DONE
 *        |----FAILED of a role, the launcher gives up--------> FAILED
 *        '----cancel-----------------------------------------> CANCELLED
 *
 *     server --SERVER: what it has counted--> shards that it lacks are opened again
 * (shard_board.h); SERVERS to all workers, FORGET of those that are gone worker --HELLO------>
 * SERVERS, LEASE, LEASE     as many as it may hold in advance
 *            --SHARD_DONE-> done, if by the newest SERVERS; else it is to be done again; LEASE
 *            --LEAVING----> its leases go to others, END
 *
 * Each new process of a server makes a new roster. A shard that was done by an older one may lack
 * batches in the new process, whose rows come from a snapshot.
 *
 * The master keeps nothing that the servers do not know: a later master asks them, and leases all
 * shards again under ids that no earlier one gave. What is counted everywhere costs a question.
 *
 * When all shards are done, and all servers are here (shard_master_is_finished), the model can be
 * taken from the servers. One that dies before it is taken opens its shards again.
 *
 * A process that is silent for dead_ms is replaced (outbox.h); the launcher has workers under the
 * indexes 0 to worker_count - 1, and the servers behind them.
 *
 * Pure: no clock, socket, thread or file. See outbox.h.
 */
#ifndef RUNTIME_PS_SHARD_MASTER_H
#define RUNTIME_PS_SHARD_MASTER_H

#include "runtime/ps/shard_board.h"
#include "runtime/role/outbox.h"

struct shard_master_options {
    uint64_t job;
    uint32_t incarnation; /* grows with every restart: so do epochs, rosters and leases */
    uint32_t worker_count, server_count; /* 1 at least: of processes that there may be */
    uint32_t leases_per_worker;          /* 1 at least */
    struct shard_board_options shards;   /* first_lease is the master's own */
    int64_t dead_ms;                     /* silence after which a process is replaced; 0: never */
};

/* A worker or a server, by its index. */
struct shard_member {
    peer_id peer; /* PEER_NONE: not here */
    uint32_t incarnation;
    bool was_seen;
    int64_t heard_at;
    char address[MESSAGE_ADDRESS_MAX + 1]; /* of a server: where workers reach it */
};

struct shard_master {
    struct shard_master_options options;
    enum job_state state;
    struct error failure;
    struct shard_board board;
    uint64_t epoch, roster;
    struct shard_member *workers, *servers; /* by index */
    uint64_t late;                          /* shards that were done by an older roster */
    int64_t ticked_at;
};

/* LIMIT for more than SHARDS_MAX shards. */
enum status shard_master_init(struct shard_master *master,
                              const struct shard_master_options *options, int64_t now_ms,
                              struct error *err);
void shard_master_deinit(struct shard_master *master);

/* ----- messages and time ----- */

void shard_master_on_message(struct shard_master *master, int64_t now_ms, peer_id from,
                             const struct message *message, struct outbox *outbox);
void shard_master_on_disconnect(struct shard_master *master, int64_t now_ms, peer_id peer,
                                struct outbox *outbox);
void shard_master_on_tick(struct shard_master *master, int64_t now_ms, struct outbox *outbox);

/* ----- requests of the launcher ----- */

void shard_master_cancel(struct shard_master *master, struct outbox *outbox);
void shard_master_fail(struct shard_master *master, const struct error *err, struct outbox *outbox);

/* All is learned, and on servers that are here: until one of them is replaced. */
bool shard_master_is_finished(const struct shard_master *master);
/* Whoever leads the job has all that the servers have: they and the workers end. */
void shard_master_complete(struct shard_master *master, struct outbox *outbox);

bool shard_master_has_ended(const struct shard_master *master);

#endif
