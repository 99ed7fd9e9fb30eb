/*
 * server_log.h - what a parameter server whose lanes take steps together writes into its log
 * (runtime/data/store/step_log.h).
 *
 *     snapshot, layout A, clock 40 | steps 40 ... 56 | rows of a move to B, clock 57 | 57 58 ... 70
 *
 * So whenever a server is killed, the next process of it is where that one was, also where rows
 * have moved since the last snapshot: no step is taken twice.
 *
 * A step is one entry, under its number (server_steps.h). A move has a log of its own, of entries
 * in order, which begin while rows are copied:
 *
 *     BEGIN   u64 id, u32 serving, sized runs of the layout before | the same of the one to come
 *     ROWS    sized images of buckets, as they came
 *     DROP    a set of buckets: what was copied of them is of no use
 *     READY   u64 clock, sized counts of shards: all is here that the next layout needs
 *
 * Moves have numbers: that of a server's next one goes up with each layout that it gets, and is in
 * its snapshots, which have what moved before. One that is given up leaves its number to the next.
 *
 * A later process reads it (server_replay.h).
 */
#pragma once

#include "runtime/ps/rows/bucket_set.h"
#include "runtime/ps/server/server_layout.h"
#include "runtime/role/outbox.h"

struct server_role;

enum move_entry { MOVE_ENTRY_BEGIN = 1, MOVE_ENTRY_ROWS, MOVE_ENTRY_DROP, MOVE_ENTRY_READY };

struct server_log {
    enum { LOG_STEP, LOG_MOVE, LOG_READY, LOG_NEXT, LOG_OVER } reads;
    uint32_t moves;     /* number of the next move */
    uint32_t entries;   /* entries of its log, written or read */
    struct text unsent; /* an entry that is being written */
};

void server_log_init(struct server_log *log);
void server_log_deinit(struct server_log *log);

/* ---- writing: nothing where the job's servers have no log ---- */

void server_log_begin(struct server_role *role, const struct server_layout *to,
                      struct outbox *outbox);
/* Entries of a move that does not take place are of no use. */
void server_log_give_up(struct server_role *role, struct outbox *outbox);
void server_log_rows(struct server_role *role, struct slice images, struct outbox *outbox);
void server_log_drop(struct server_role *role, const struct bucket_set *buckets,
                     struct outbox *outbox);
void server_log_ready(struct server_role *role, struct outbox *outbox);
