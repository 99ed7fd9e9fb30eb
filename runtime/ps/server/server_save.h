/*
 * server_save.h - snapshots of a parameter server (server_role.h): its rows and counts, and the
 * pieces that a later process goes on from.
 *
 * A snapshot goes out by pieces, between messages (server_save_work), while rows are pulled and
 * pushed: OUTBOX_PIECE, then OUTBOX_FINISH (runtime/data/store/checkpoint.h). It is
 *
 *     u32 version, u32 tables, u64 clock, u32 moves, u64 layout, u32 serving | sized runs of its
 * map | sized counts of shards | sized rows before the last step | sized image of each bucket
 */
#pragma once

#include "runtime/role/outbox.h"

struct server_role;

/* A snapshot begins now, unless one is being taken or has all that was pushed. */
void server_save_begin(struct server_role *role, int64_t now_ms);
/* The same, also when nothing was pushed since. One that cannot begin now begins in its time. */
void server_save_anew(struct server_role *role, int64_t now_ms);
/* One begins when it is due. */
void server_save_on_tick(struct server_role *role, int64_t now_ms);
/* The one that is being taken is given up. */
void server_save_end(struct server_role *role);

/* Some of a snapshot. It is finishing when all pieces but the last small one are out: the next work
 * ends it. */
bool server_save_is_finishing(const struct server_role *role);
bool server_save_has_work(const struct server_role *role);
void server_save_work(struct server_role *role, int64_t now_ms, struct outbox *outbox);

/* The pieces of the snapshot that it goes on from, in order; then is_last. CORRUPT for what no
 * server of this job wrote: the role is of no use then. */
enum status server_save_restore(struct server_role *role, struct slice piece, bool is_last,
                                struct error *err);
