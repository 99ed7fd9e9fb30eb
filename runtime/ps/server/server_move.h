/*
 * server_move.h - what a parameter server (server_role.h) does while rows move to another layout.
 *
 *     NONE --COPY--> COPYING --HOLD--> HELD --FETCH--> FETCHING --all are here--> READY --LAYOUT,
 *      ^               | ^--- COPY ----|                  |  \--no memory, ...--> STUCK   this one
 *      +---- LAYOUT: that of before ---+------------------+---------------+        |
 *      +---- the rows of others go, a snapshot begins ------------------------------+
 *
 * While it copies, batches are counted as ever: the server asks those that have rows which are to
 * be its own for all of them, and then for those that were pushed meanwhile, until they are few. So
 * what is left to be fetched is little, and the workers' pause short.
 *
 * From HOLD on no batch is counted, so that what is counted stays as it is: workers' messages close
 * their connections. What was pushed since the copy is asked for with what the other server has
 * counted, and is taken only where that is what this server has counted, too; one that has no rows
 * takes the numbers over. So rows and counts of a server always say the same, whatever the master
 * believes. What was copied of a process that is not there any more is dropped.
 *
 * Rows that come are put where they will be, in buckets that are empty: a server has no others than
 * those of its layout. They are dropped when they are not to stay. The one that has them keeps them
 * until it gets the new LAYOUT.
 *
 * A server that did not prepare for the LAYOUT that it gets, as it is another process, keeps its
 * rows where it has all buckets that are its own in the new one; else it begins empty, and the
 * master has what it lacks pushed again. It answers each LAYOUT that is new to it with SERVER.
 *
 * Rows go as images of buckets (row_snapshot.h), each behind its size, table by table, by pieces of
 * piece_bytes: each end has one piece and one image in memory for each of the others.
 */
#pragma once

#include "runtime/ps/server/server_layout.h"
#include "runtime/role/outbox.h"

struct server_role;

enum server_move_state {
    MOVE_NONE,
    MOVE_COPYING,
    MOVE_HELD,
    MOVE_FETCHING,
    MOVE_READY,
    MOVE_STUCK
};

/* A server that has rows which are to come here. */
struct move_source {
    uint32_t index, incarnation;
    struct bucket_set buckets;
    char address[MESSAGE_ADDRESS_MAX + 1];
    peer_id peer; /* PEER_NONE: not connected */
    int64_t asked_at;
    uint64_t since;     /* rows that were pushed until this clock of it are here; 0: none are */
    uint64_t clock;     /* the source's, when it was asked last */
    uint32_t rounds;    /* rounds asked for */
    uint64_t offset;    /* bytes that came in this one */
    struct text unread; /* the rest of an image */
    uint32_t images;    /* images that came in this round */
    bool is_whole;
};

/* A server that gets rows from here. */
struct move_reader {
    peer_id peer;
    struct bucket_set buckets;
    uint64_t since, clock; /* the clock that it asks from; the clock when it began to ask */
    uint64_t offset;       /* next offset to be asked for */
    uint32_t next_table, next_bucket; /* the next image to be sent */
    struct text unsent;
};

struct server_move {
    enum server_move_state state;
    struct server_layout to; /* id 0: none */
    struct move_source *sources;
    uint32_t source_count;
    struct move_reader *readers;
    uint32_t reader_count, reader_room;
    bool is_held;    /* no batch is counted */
    bool has_counts; /* its counts are compared with those of others */
    uint64_t resets; /* times that rows were of no use in a new layout, ever */
};

/* The limit of memory where so many servers serve. */
void server_move_share_memory(struct server_role *role, uint32_t serving);
void server_move_deinit(struct server_role *role);

/* From the master. */
void server_move_copy(struct server_role *role, int64_t now_ms, const struct message_fetch *copy,
                      struct outbox *outbox);
/* True: from now on no batch is counted, nothing that a worker pulled before can be pushed any
 * more, and the master is to be told (HELD). */
bool server_move_hold(struct server_role *role, const struct message_layout *layout);
void server_move_fetch(struct server_role *role, int64_t now_ms, const struct message_fetch *fetch,
                       struct outbox *outbox);
/* True: this layout, which was another's, is in force. Workers begin again, the master is to be
 * told (SERVER), and a snapshot is to begin. */
bool server_move_layout(struct server_role *role, const struct message_layout *layout,
                        struct outbox *outbox);

/* From other servers: ROWS_WANTED, ROWS. */
void server_move_on_message(struct server_role *role, int64_t now_ms, peer_id from,
                            const struct message *message, struct outbox *outbox);
/* False: the connection is of no other server. */
bool server_move_on_disconnect(struct server_role *role, peer_id peer);
/* Batches need the memory that copies have: these are dropped, and the master is told. False: there
 * are none. */
bool server_move_make_room(struct server_role *role, const struct error *why,
                           struct outbox *outbox);
/* Connects to what is not connected. */
void server_move_on_tick(struct server_role *role, int64_t now_ms, struct outbox *outbox);

/* ---- for server_replay.c ---- */

/* Prepares to take rows of other servers, as after COPY. */
void server_move_prepare(struct server_role *role, const struct server_layout *to);
void server_move_drop_buckets(struct server_role *role, const struct bucket_set *buckets);
/* It does not take place: what came goes. */
void server_move_cancel(struct server_role *role);
/* The next layout, for which all that is needed is here, is in force: the rows of others go. */
void server_move_take_layout(struct server_role *role, const struct server_layout *next);
