/*
 * scorer_role.h - scores, or stages, the shards that the dispatcher leases to it.
 *
 *     JOINING --HELLO--> READY --LEASE--> scores, first come first --SCORED--> ...
 *        ^                 |
 *        +-- the dispatcher is lost: what it leased is dropped
 *     any --END--> ENDED;   an error of the rows or the model --> FAILED, then END;
 *                           out of memory --> UNABLE, then END: this worker alone ends
 *     any --STAGED--> STAGED, where it stages: its process goes on as a worker that trains
 *
 * Staging fails for reasons of one worker's own, such as its connection to the database: it is then
 * UNABLE unless the rows are at fault (LIMIT, CORRUPT, UNSUPPORTED).
 *
 * A piece of work is some hundred rows, so that the role receives messages and
 * sends PHASE_ALIVE in between. A lease counts only under the dispatcher that gave it:
 * when that one is lost the leased rows are dropped, since the next dispatcher would
 * not know of them.
 *
 * When it is drained (scorer_role_leave: SIGTERM) it sends LEAVING and ends with END,
 * or when grace_ms is over; its shards go to other scorers.
 *
 * Pure: no clock, socket, thread or file. See outbox.h.
 */
#pragma once

#include "runtime/role/fault.h"
#include "runtime/role/master_link.h"

#define SCORER_LEASES_MAX 8

/* The scorer as a table of functions: the simulator puts a toy in its place. */
struct shard_scoring {
    void *self;
    /* Rows first to first + count - 1 are next, from the first on. */
    enum status (*begin)(void *self, uint64_t first, uint32_t count, struct error *err);
    /* One bounded piece. */
    enum status (*score)(void *self, bool *is_done, struct error *err);
    /* The results of all of its rows; borrowed until the next call of begin. */
    struct slice (*results)(const void *self);
};

enum scorer_state { SCORER_JOINING, SCORER_READY, SCORER_FAILED, SCORER_STAGED, SCORER_ENDED };

struct scorer_role_options {
    uint64_t job;
    uint32_t index, incarnation;
    const char *master; /* address */
    int64_t alive_ms, reconnect_ms;
    int64_t search_ms; /* without its master it ends after that, CONNECTION; search.h */
    int64_t grace_ms;  /* after scorer_role_leave it ends, whatever is missing */
    bool stages;       /* rows of a job that trains */
};

struct scorer_role {
    struct scorer_role_options options;
    struct shard_scoring scoring;
    enum scorer_state state;
    struct error failure;
    bool is_unable; /* FAILED: before it had rows and model, or out of memory */
    uint64_t epoch; /* epoch of the newest dispatcher that sent a message */
    struct master_link master;
    peer_id next_peer;
    int64_t leave_at;
    bool is_leaving;
    struct message_lease leases[SCORER_LEASES_MAX]; /* first to be scored first */
    uint32_t lease_count;
    bool is_scoring; /* leases[0] was begun */
    struct fault fault;
};

/* `failure`: rows or model could not be opened; the role then only reports it (UNABLE), and ends
 * with CONNECTION when the dispatcher has answered. Otherwise NULL. */
void scorer_role_init(struct scorer_role *role, const struct scorer_role_options *options,
                      const struct shard_scoring *scoring, const struct error *failure);
void scorer_role_start(struct scorer_role *role, int64_t now_ms, struct outbox *outbox);
void scorer_role_on_message(struct scorer_role *role, int64_t now_ms, peer_id from,
                            const struct message *message, struct outbox *outbox);
void scorer_role_on_disconnect(struct scorer_role *role, int64_t now_ms, peer_id peer,
                               struct outbox *outbox);
void scorer_role_on_tick(struct scorer_role *role, int64_t now_ms, struct outbox *outbox);
void scorer_role_leave(struct scorer_role *role, int64_t now_ms, struct outbox *outbox);

bool scorer_role_has_work(const struct scorer_role *role);
void scorer_role_work(struct scorer_role *role, int64_t now_ms, struct outbox *outbox);
