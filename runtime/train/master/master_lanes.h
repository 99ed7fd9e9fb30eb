/*
 * master_lanes.h - lanes follow speed: a slow worker is given fewer of them.
 *
 *     worker --SPEED: lanes, time--> master --another distribution is worth it, for longer than by
 *     accident (lanes_move.h)--> the same members in a new group, between two phases
 *
 * Where rows come from elsewhere a lane that moves costs the rows that it needs next: they are
 * taken once more. That is counted as the time in which all members together learn as many.
 *
 * A worker too slow for even one lane gets none. It stays a member and has the state; after a while
 * it gets a lane again, and its next SPEED decides.
 */
#pragma once

#include "runtime/train/master/master.h"

struct message_speed;

/* Nothing is known of it. */
void master_forget_speed(struct master_worker *worker);
void master_on_speed(struct master_worker *worker, const struct message_speed *speed);
/* To the members of the group, by speed where that is known. */
enum status master_deal_lanes(struct master *master, struct error *err);
/* A new group of the same members when they should have other lanes. */
void master_balance(struct master *master, int64_t now_ms, struct outbox *outbox);
