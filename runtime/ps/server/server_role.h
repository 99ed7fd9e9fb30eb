/*
 * server_role.h - a parameter server: rows of tables of weights, which workers pull and push.
 *
 *     EMPTY --pieces of its last snapshot--> EMPTY --start--> SERVING --END--> ENDED
 *                                                        \--what no other try mends--> FAILED
 *
 *     worker --RESUME--> RESUMED                what is counted of the shard
 *            --PULL----> PULLED, or waits       the rows of a batch, as they are now
 *            --PUSH----> PUSHED                 one step of the optimizer, counted once
 *
 * A push is named by shard and number of the batch. The server counts the batches of a shard in
 * order (shard_counts.h), and rows and counts are in one snapshot: what is not counted is not in
 * the rows, and what is counted is in them once, whoever pushed it, however often, and whatever
 * server goes on from the snapshot. So a shard may be leased again at any time, to anybody.
 *
 * A push follows a pull of the same worker over the same connection. While a worker computes, that
 * is from its PULLED to its PUSH, no other worker pushes more than `staleness` batches: the
 * pull of one that would be further ahead waits. A worker whose connection closes, or that the
 * master says is gone (FORGET), is waited for no longer.
 *
 * Only server 0, the gate, lets pulls wait: two servers that see pulls in another order would let
 * two workers wait for each other. A worker pulls from the gate first and pushes to it last
 * (push_worker.h), so that the bound holds on all servers. When the gate is replaced, the next one
 * does not know who computes: what was pulled before may then see twice as many batches. What
 * a worker has on its way when it begins again (RESUME) comes on top of the bound.
 *
 * Where lanes take steps together (server_steps.h), the push is that of a lane, and a pull waits
 * for its step on whatever server; there is no staleness.
 *
 * Which rows are the server's is the layout's (server_layout.h), and how another one comes into
 * force, server_move.h's. A worker that goes by another layout is refused.
 *
 *     server_role.c    its messages: the master's, pulls and pushes of workers
 *        |
 *        +--> server_replay.c --> server_move.c --> server_save.c, server_log.c --> server_steps.c
 *             the log is read     rows move         snapshots      it is written    steps of lanes
 *
 * They share one struct, and each calls those to its right alone: what is to happen to the left is
 * returned.
 *
 * Pure: no clock, socket, thread or file. See outbox.h.
 */
#pragma once

#include "runtime/ps/rows/row_table.h"
#include "runtime/ps/server/server_load.h"
#include "runtime/ps/server/server_log.h"
#include "runtime/ps/server/server_move.h"
#include "runtime/ps/server/server_steps.h"
#include "runtime/ps/server/shard_counts.h"
#include "runtime/role/master_link.h"

#define SERVER_STALENESS_MAX 1024
#define SERVER_WORKERS_MAX   65536
#define SERVER_CLOCK_MAX     (UINT32_MAX - 1) /* pushes: steps of a table are 32 bits */

enum server_state { SERVER_EMPTY, SERVER_SERVING, SERVER_FAILED, SERVER_ENDED };

struct server_options {
    uint64_t job, identity;
    uint32_t index, incarnation;
    uint32_t server_count;                  /* servers of a job that has no other layout yet */
    const char *master;                     /* address */
    const char *address;                    /* for workers */
    const struct row_table_options *tables; /* (table_count); borrowed by server_role_init */
    uint32_t table_count;                   /* 1 to TABLES_MAX */
    uint64_t memory_limit;                  /* bytes, of all rows */
    uint64_t memory_shared; /* memory of all servers; their parts of it, if they are more */
    uint64_t memory_moving; /* while rows move to more servers, if it is more */
    bool may_grow;          /* its launcher starts it again with more: without room it ends (LIMIT,
                               NO_MEMORY), and the master does not hear of it */
    uint32_t staleness;     /* 0: no bound; at most SERVER_STALENESS_MAX */
    uint32_t lanes;         /* lanes in step (server_steps.h); 0: workers go by themselves */
    uint32_t batches;       /* batches of a shard; not used without lanes */
    bool weighs_stale; /* a push weighs less for what others pushed more than once since its pull */
    int64_t alive_ms, reconnect_ms;
    int64_t search_ms;   /* without its master it ends after that; search.h */
    int64_t snapshot_ms; /* between the begins of two; 0: none are taken */
    int64_t load_ms;     /* between two of what it says of its load; 0: nothing */
    uint32_t piece_bytes;
};

/* A worker that is connected. */
struct server_peer {
    peer_id peer;
    bool has_resumed; /* the two that follow are known */
    uint32_t index, incarnation;
    bool is_computing;    /* from PULLED to PUSH */
    uint64_t pulled_at;   /* the clock then */
    uint64_t pulled_turn; /* the turn then */
    struct text waiting;  /* the frame of a pull that waits; empty: none */
};

/* A worker by its index: whatever connection it comes over. */
struct server_worker {
    uint32_t gone; /* incarnations below are gone */
    uint64_t pushes;
    uint64_t pushed_at; /* the clock after its last push that was counted; 0: there was none */
    uint64_t *turns;    /* (staleness): turns of its last pushes, in a ring */
};

struct server_counts {
    uint64_t pushes, repeated; /* messages; repeated: those that were counted before */
    uint64_t waits;            /* pulls that waited for another worker */
};

struct server_role {
    struct server_options options;
    enum server_state state;
    struct error failure;
    uint64_t epoch; /* epoch of the newest master that sent a message */
    struct master_link master;
    peer_id next_peer;

    struct server_layout layout; /* the layout its rows lie by */
    struct server_move move;     /* to another */
    struct server_load load;     /* in that layout */
    struct row_memory memory;
    struct row_table *tables; /* (table_count) */
    uint64_t clock;           /* pushes that are counted, or steps */
    struct server_steps steps;
    struct server_log log;
    uint64_t turn; /* pushes of this process, also those that were counted before */
    struct shard_counts shards;
    struct server_counts counts;

    struct server_peer *peers;
    uint32_t peer_count, peer_room;
    struct server_worker *workers; /* (worker_count), by index */
    uint32_t worker_count, worker_room;

    /* A message's arrays, aligned. */
    uint64_t *ids;
    uint32_t *seen;
    float *floats;
    uint32_t ids_room, seen_room, floats_room;

    struct text unread; /* the rest of the pieces of a snapshot that is being read */
    bool has_head;

    struct {
        bool is_on;
        uint64_t id, position, bytes; /* pieces and bytes that went out */
        uint32_t table, bucket;       /* to be written next */
        uint32_t moves;               /* moves of rows that it includes */
        struct text out;
    } snapshot;
    int64_t snapshot_at;     /* when one began last */
    int64_t snapshot_pause;  /* from then on, so that snapshots take a tenth of the time at most */
    uint64_t snapshot_clock; /* clock of the last that began */
    uint32_t snapshots;      /* begun by this process */
    bool must_save;          /* whatever the clock says: rows have moved */
};

static inline struct message server_role_message(const struct server_role *role,
                                                 enum message_type type)
{
    return (struct message){.type = type, .job = role->options.job, .epoch = role->epoch};
}

/* INVALID for options out of range. server_role_start_failed and _deinit are possible then, too. */
enum status server_role_init(struct server_role *role, const struct server_options *options,
                             struct error *err);
void server_role_deinit(struct server_role *role);

void server_role_start(struct server_role *role, int64_t now_ms, struct outbox *outbox);
/* Is it the limit of its rows, or the machine's, that this failure of the role is about? */
bool server_role_lacks_memory(const struct server_role *role, enum status status);
/* In its place, where there is nothing to serve: the master is told why. */
void server_role_start_failed(struct server_role *role, int64_t now_ms, const struct error *why,
                              struct outbox *outbox);
void server_role_on_message(struct server_role *role, int64_t now_ms, peer_id from,
                            const struct message *message, struct outbox *outbox);
void server_role_on_disconnect(struct server_role *role, int64_t now_ms, peer_id peer,
                               struct outbox *outbox);
void server_role_on_tick(struct server_role *role, int64_t now_ms, struct outbox *outbox);

/* The digest of all rows and counts. */
uint64_t server_role_digest(const struct server_role *role);
