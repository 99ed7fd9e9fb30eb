/*
 * master_pairs.h - workers that cannot reach each other.
 *
 *     PEER_LOST in a group that makes no progress --counted for that pair-->
 *     FAILURES_MOST groups in a row: one of the two stands by --after a while-->
 *     a group with both is tried again; progress in it forgets the failures
 *
 * A pair is two members that exchange sums: others need not reach each other (worker_group.c).
 * Both are alive and have a connection to the master, so nothing else would ever end this: the
 * next group of the same members fails in the same way. A node behind a firewall, a route that
 * works in one direction only, a certificate that one of them refuses.
 */
#pragma once

#include "runtime/train/master/master.h"

struct message;

/* Connected workers that may be members. */
uint32_t master_count_able(const struct master *master);
/* PEER_LOST from the worker `index`, of the present group or of the one that works until that has
 * met. */
void master_note_unreached(struct master *master, int64_t now_ms, uint32_t index,
                           const struct message *lost, struct outbox *outbox);
/* Time from PEER_LOST to the next group: longer, the more groups in a row finished no phase. */
int64_t master_regroup_pause(const struct master *master);
/* The group of this epoch has reported this phase. */
void master_note_phase_done(struct master *master, uint64_t epoch, uint64_t phase);
/* A worker came or left: what is known of its predecessor does not count. */
void master_forget_pairs(struct master *master, int64_t now_ms, uint32_t index,
                         struct outbox *outbox);
void master_tick_pairs(struct master *master, int64_t now_ms, struct outbox *outbox);
