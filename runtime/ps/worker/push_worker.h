/*
 * push_worker.h - a worker whose weights lie on parameter servers: it takes shards of the rows of
 * data from its master, and pushes the gradient of each of their batches.
 *
 *     IDLE --LEASE--> RESUMING --RESUMED of all servers--> SELECTING <-----------------+
 *      ^                 ^                                     | PULL to all servers   |
 *      |                 |                                     v                       |
 *      |                 |                                  PULLING --> COMPUTING --> PUSHING
 *      |                 +--- a server is lost, or new ---- any of these               |
 *      +---SHARD_DONE: every server has counted all of its batches ---- ------------------+
 *
 * The servers say how far a shard is (server_role.h): the worker goes on with the first batch that
 * one of them lacks, and the others do not count again what they have. So it does not matter who
 * worked on the shard before, nor what was on its way when somebody died.
 *
 * Where workers are held together (is_gated) the batch is pulled from server 0 first, which lets
 * the pull wait, and pushed there last; else all servers are asked at once.
 *
 * Where all lanes take steps together (server_steps.h), a worker has several leases, and does the
 * batch of the one whose step is the lowest. The pull of a step waits at the servers for the lanes
 * before it; so a lane that is leased meanwhile, and is behind, is begun with at once. What it has
 * pulled for one lane of a step it does not pull for the next of the same step (step_copies.h); it
 * asks all servers all the same, also for no rows, as the pull is what waits for the step.
 *
 * Where rows are about to move to another number of servers, SERVERS says that it is paused: the
 * worker does batches only until all servers have counted the same of the shard, and gives the
 * lease back (SHARD_DONE, even). What it has on its way may be computed again. The SERVERS of the
 * new layout follow.
 *
 * When all shards are done the master leases what lies behind the last one: the worker then pulls
 * all rows that the servers have (PULL that only reads), from the first again where one of them is
 * new, and says SHARD_DONE. The master asks for the state that they make by pieces (CHECKPOINT),
 * as of a worker that trains. Every worker gets STAGED at last, and goes on as one that trains.
 *
 * Without its master it goes on with what is leased to it; leases of a connection before are
 * dropped when the master gives one over the next.
 *
 * When it is drained (push_worker_leave: SIGTERM) it sends LEAVING and ends with END, or when
 * grace_ms is over.
 *
 * Pure: no clock, socket, thread or file. See outbox.h.
 */
#pragma once

#include "runtime/ps/server/server_layout.h"
#include "runtime/ps/server/server_steps.h"
#include "runtime/ps/worker/batch_learning.h"
#include "runtime/ps/worker/step_copies.h"
#include "runtime/role/master_link.h"

/* Leases of two groups of lanes, and two more after a new beginning (shard_steps.h). */
#define PUSH_WORKER_LEASES_MAX (4 * SERVER_LANES_MAX)

enum push_worker_state {
    PUSH_IDLE,
    PUSH_RESUMING,
    PUSH_SELECTING,
    PUSH_PULLING,
    PUSH_COMPUTING,
    PUSH_PUSHING,
    PUSH_UNABLE, /* it has no rows: its master answers with END */
    PUSH_FAILED,
    PUSH_LEARNED, /* all is: the process goes on as a worker that trains */
    PUSH_ENDED
};

struct push_worker_options {
    uint64_t job;
    uint32_t index, incarnation;
    uint64_t build;     /* the program's */
    const char *master; /* address */
    int64_t alive_ms, reconnect_ms;
    int64_t search_ms; /* without its master it ends after that; search.h */
    int64_t grace_ms;
    size_t piece_bytes; /* a piece of the collected state */
    bool is_gated;      /* the servers have a bound of staleness (server_role.h) */
};

/* A parameter server as its worker knows it. */
struct pushed_server {
    char address[MESSAGE_ADDRESS_MAX + 1]; /* empty: it is not there now */
    uint32_t incarnation;
    peer_id peer; /* PEER_NONE: not connected */
    int64_t asked_at;
    bool is_asked; /* the worker asks for its rows in its state */
    bool has_answered;
    uint32_t next;  /* batches of the shard that it has counted */
    uint64_t step;  /* the server's step, where lanes take steps together */
    uint32_t *rows; /* (row_count): which of the batch's rows it has */
    uint32_t row_count, rows_room;
};

/* A shard that it works on. */
struct pushed_shard {
    uint64_t id, shard; /* the lease's id; its shard */
    uint64_t next;      /* step that its lane is to be pushed of */
    bool is_open;
    struct batch_loss loss; /* the loss computed so far */
};

struct push_worker {
    struct push_worker_options options;
    struct batch_learning learning;
    enum push_worker_state state;
    struct error failure;
    uint64_t epoch; /* epoch of the newest master that sent a message */
    struct master_link master;
    peer_id next_peer, leased_by;
    int64_t leave_at;
    bool is_leaving;

    struct pushed_shard leases[PUSH_WORKER_LEASES_MAX]; /* the first is worked on */
    uint32_t lease_count;
    struct pushed_server *servers; /* (server_count) */
    uint32_t server_count;
    uint64_t roster;             /* the newest SERVERS */
    struct server_layout layout; /* the layout of that SERVERS */
    bool is_paused;

    uint64_t least_step; /* all servers are at this step, at least */
    uint64_t most_step;  /* no server was past this step when all had answered last */
    bool is_collecting;
    uint32_t batches, batch;
    struct learned_state learned; /* bytes 0: nothing is collected */
    uint64_t request;
    struct batch_rows rows;
    uint32_t row_count;
    uint64_t *places; /* (row_count + 1): where each row's floats begin */
    float *values, *gradient;
    bool *copied; /* (row_count): which are not pulled, as they were for another lane of the step */
    uint32_t places_room, values_room, gradient_room, copied_room;
    struct step_copies copies;
    struct text counts, ids, seen, floats; /* parts of a message to one server */
    uint64_t batches_done;
};

/* learning NULL: `why` it has none, which it reports. */
void push_worker_init(struct push_worker *worker, const struct push_worker_options *options,
                      const struct batch_learning *learning, const struct error *why);
void push_worker_deinit(struct push_worker *worker);

void push_worker_start(struct push_worker *worker, int64_t now_ms, struct outbox *outbox);
void push_worker_on_message(struct push_worker *worker, int64_t now_ms, peer_id from,
                            const struct message *message, struct outbox *outbox);
void push_worker_on_disconnect(struct push_worker *worker, int64_t now_ms, peer_id peer,
                               struct outbox *outbox);
void push_worker_on_tick(struct push_worker *worker, int64_t now_ms, struct outbox *outbox);
void push_worker_leave(struct push_worker *worker, int64_t now_ms, struct outbox *outbox);

/* A batch to be selected, or computed. */
bool push_worker_has_work(const struct push_worker *worker);
void push_worker_work(struct push_worker *worker, int64_t now_ms, struct outbox *outbox);
