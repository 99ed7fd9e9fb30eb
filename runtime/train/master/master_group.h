/*
 * master_group.h - which workers are alive, and the groups made of them.
 */
#pragma once

#include "runtime/train/master/master.h"

struct message;

/* The worker whose successor this peer is; CREW_NONE. */
uint32_t master_find_successor(const struct master *master, peer_id peer);
/* After a worker has left or is lost: its successor may join. */
void master_call_successor(struct master *master, uint32_t index, struct outbox *outbox);
uint32_t master_rank(const struct master *master, uint32_t index);
/* A new group of all connected workers, or WAITING when they are too few. At once: the phase in
 * flight is computed again. */
void master_regroup(struct master *master, int64_t now_ms, struct outbox *outbox);
/* Makes a group of the connected workers, with those that are leaving or without. `after`: the
 * epoch of the group whose phase in flight is finished first; 0: none. */
void master_make_group(struct master *master, int64_t now_ms, uint64_t after, bool with_leaving,
                       struct outbox *outbox);
/* A group without members: WAITING. */
void master_dissolve_group(struct master *master, int64_t now_ms, struct outbox *outbox);
/* Whether a new group would have the same members. */
bool master_group_is_right(const struct master *master);
void master_admit(struct master *master, int64_t now_ms, peer_id from,
                  const struct message *message, struct outbox *outbox);
void master_lose(struct master *master, int64_t now_ms, uint32_t index, const char *why,
                 struct outbox *outbox);
