/*
 * worker_group.h - meeting the members of a new group.
 *
 *     GROUP --> PEER_HELLO to and from the members with which it exchanges sums
 *     rank 0 has all PEER_HELLOs --PEER_PHASES--> everyone: the phase that all will compute, and
 *               who takes whose state
 */
#pragma once

#include "runtime/train/worker/worker.h"

struct message;

void worker_join_group(struct worker *worker, int64_t now_ms, const struct message *message,
                       struct outbox *outbox);
void worker_leave_group(struct worker *worker, struct outbox *outbox);
/* A kept connection was lost before anything of this group came over it. */
void worker_meet_anew(struct worker *worker, uint32_t rank, struct outbox *outbox);
void worker_on_peer_hello(struct worker *worker, int64_t now_ms, peer_id from,
                          const struct message *message, struct outbox *outbox);
/* From rank 0: all have said HELLO to it. */
void worker_on_peer_phases(struct worker *worker, int64_t now_ms, uint32_t from,
                           const struct message *message, struct outbox *outbox);
void worker_forget_early_peer(struct worker *worker, peer_id peer);
/* Closes the connection and forgets what the peer sent about a group to come. */
void worker_close_peer(struct worker *worker, peer_id peer, struct outbox *outbox);
