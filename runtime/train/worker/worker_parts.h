/*
 * worker_parts.h - what the files of the worker share.
 *
 *     worker.c         connections, the master's messages
 *     worker_group.c   meeting a new group
 *     worker_switch.c  from group to group between two phases, leaving
 *     worker_state.c   the state, given to others and taken from them
 *     worker_snapshot.c  the state on its way into the store
 *     worker_phase.c   lanes, partial sums, sums, apply
 *     worker_report.c  progress, the finished model
 *     worker_damage.c  memory that changed by itself
 *     worker_fault.c   what a test does to a worker at a named point
 */
#pragma once

#include "runtime/train/worker/worker.h"
#include "runtime/train/worker/worker_fault.h"

#define RANK_NONE     UINT32_MAX
#define SOURCE_MASTER UINT32_MAX

struct message worker_message(const struct worker *worker, enum message_type type);
uint32_t worker_rank_of(const struct worker *worker, peer_id peer); /* RANK_NONE */
/* To all members that are connected: an owner of sums is connected to everyone. */
void worker_send_to_all(const struct worker *worker, const struct message *message,
                        struct outbox *outbox);
void worker_fail(struct worker *worker, const struct error *err, struct outbox *outbox);
/* Closes the connection of a member and reports it to the master, which then makes a new group:
 * at once, or when the present phase is over and the member is needed. */
void worker_lose_member(struct worker *worker, uint32_t rank, struct outbox *outbox);
void worker_report_missed(struct worker *worker, struct outbox *outbox);

static inline void worker_fault(struct worker *worker, enum fault_point point)
{
    if (worker->fault.is_set)
        worker_do_fault(worker, point);
}
