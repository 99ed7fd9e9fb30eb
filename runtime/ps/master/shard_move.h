/*
 * shard_move.h - the number of parameter servers changes while the job runs, or rows leave one that
 * is hot: the master's part.
 *
 *     NONE --another number is wanted, and its servers are here; or one is hot--> COPYING
 *     COPYING   COPY to all servers: rows are copied while the workers go on (server_move.h)
 *        | all have theirs
 *     PAUSING   workers give their leases back, each as soon as all servers have counted the same
 *               of its shard
 *        | none is out: HOLD to all servers
 *     HOLDING   each says what it has counted
 *        |  \--one has counted less of some shards, on which somebody has died: COPY, they count
 *        |     again; these shards alone are leased, and given back even--> PAUSING
 *        | all the same: FETCH to all servers of the new layout
 *     FETCHING  what was pushed since it was copied
 *        | all have theirs: LAYOUT to the servers, SERVERS to the workers, END to servers beyond
 *     NONE
 *
 * A server that is lost, or a pause that is too long, ends the move: LAYOUT, that of before, nobody
 * has lost anything, and it begins again later, with twice the patience. Only servers decide
 * whether rows and counts fit together; the master decides when it is worth trying.
 *
 * Another number of servers begins with equal parts. For a server that is hot (server_balance.h)
 * rows move between the servers that there are, by a map of buckets; then, and when that was given
 * up, they stay for balance_ms, and with each such move for twice as long.
 *
 * What is in force the servers know. A master that comes later waits until it has heard all of the
 * newest layout that one of them has, and all of one that some of them were told to prepare; from
 * then on the newest is in force, and who has another is told (is_settled). Ids of layouts are
 * those of one master, and of a later one higher.
 */
#pragma once

#include "runtime/ps/server/server_layout.h"
#include "runtime/role/outbox.h"

struct shard_master;

enum shard_move_stage {
    SHARD_MOVE_NONE,
    SHARD_MOVE_COPYING,
    SHARD_MOVE_PAUSING,
    SHARD_MOVE_HOLDING,
    SHARD_MOVE_FETCHING
};

struct shard_move {
    struct server_layout now;  /* in force, where is_settled */
    struct server_layout next; /* the layout that rows move to, or that the last try was for */
    bool is_settled;
    enum shard_move_stage stage;
    uint32_t wanted; /* servers, by the launcher; 0: it did not say */
    uint64_t wanted_version;
    uint32_t told_least, told_most; /* to the launcher */
    uint32_t told_serving;          /* likewise; 0: that it is not known */
    uint32_t tries;                 /* tries of this number of servers that were given up */
    uint64_t ids;                   /* ids of layouts given by this master */
    uint64_t anew;                  /* id of the one in which nothing was counted; 0: none */
    int64_t copying_since, paused_since, next_at;
    uint32_t *uneven; /* shards that are to be leased to be evened out */
    uint32_t uneven_count, uneven_room;
    int64_t balance_at; /* no rows move for the load before */
    uint32_t balances;  /* moves for the load, tried under this number of servers */
    bool lacks_memory;  /* for a better balance: it is not tried again */
    uint64_t begun, evened, committed, aborted, begun_anew; /* ever */
    uint64_t balanced; /* those of `committed` that were for the load */
};

void shard_move_init(struct shard_master *master);
void shard_move_deinit(struct shard_master *master);

/* The workers wait: no shard is leased but to be evened out. */
bool shard_move_pauses(const struct shard_master *master);

/* Servers 0 to this - 1 may be here. */
uint32_t shard_move_servers_most(const struct shard_master *master);

/* A server has said SERVER, and what it said is in its member. */
void shard_move_note_server(struct shard_master *master, int64_t now_ms, uint32_t index,
                            struct outbox *outbox);
/* A server has gone. */
void shard_move_lose_server(struct shard_master *master, int64_t now_ms, uint32_t index,
                            struct outbox *outbox);
void shard_move_on_held(struct shard_master *master, int64_t now_ms, uint32_t index,
                        const struct message_held *held, struct outbox *outbox);
void shard_move_on_fetched(struct shard_master *master, int64_t now_ms, uint32_t index,
                           const struct message_fetched *fetched, struct outbox *outbox);
void shard_move_on_load(struct shard_master *master, uint32_t index,
                        const struct message_load *load);
void shard_move_want(struct shard_master *master, int64_t now_ms, uint64_t version,
                     uint32_t servers, struct outbox *outbox);
/* The same servers have a new layout, in which nothing is counted. */
void shard_move_begin_anew(struct shard_master *master, int64_t now_ms, struct outbox *outbox);
/* After whatever has happened: begins a move, goes on with it, gives it up. */
void shard_move_step(struct shard_master *master, int64_t now_ms, struct outbox *outbox);

/* ---- shard_master.c, for these ---- */

/* Makes a new roster: work that was done under an older one may lack batches. */
void shard_make_roster(struct shard_master *master);
void shard_send_servers_to_all(const struct shard_master *master, struct outbox *outbox);
void shard_send_lease(const struct shard_master *master, uint32_t worker, uint64_t id,
                      uint64_t shard, struct outbox *outbox);
/* END, and it may not come back. */
void shard_release_server(struct shard_master *master, uint32_t index, struct outbox *outbox);
