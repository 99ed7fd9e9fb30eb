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
#ifndef RUNTIME_TRAIN_WORKER_PARTS_H
#define RUNTIME_TRAIN_WORKER_PARTS_H

#include "runtime/train/worker.h"

#define RANK_NONE     UINT32_MAX
#define SOURCE_MASTER UINT32_MAX

struct message worker_message(const struct worker *worker, enum message_type type);
uint32_t worker_rank_of(const struct worker *worker, peer_id peer); /* RANK_NONE */
void worker_fail(struct worker *worker, const struct error *err, struct outbox *outbox);
/* Closes the connection of a member and reports it to the master, which then makes a new group:
 * at once, or when the present phase is over and the member is needed. */
void worker_lose_member(struct worker *worker, uint32_t rank, struct outbox *outbox);
void worker_report_missed(struct worker *worker, struct outbox *outbox);

void worker_join_group(struct worker *worker, int64_t now_ms, const struct message *message,
                       struct outbox *outbox);
void worker_leave_group(struct worker *worker, struct outbox *outbox);
/* A kept connection was lost before anything of this group came over it. */
void worker_meet_anew(struct worker *worker, uint32_t rank, struct outbox *outbox);
void worker_on_peer_hello(struct worker *worker, int64_t now_ms, peer_id from,
                          const struct message *message, struct outbox *outbox);
void worker_forget_visitor(struct worker *worker, peer_id peer);
/* Closes the connection and forgets what the peer sent about a group to come. */
void worker_close_peer(struct worker *worker, peer_id peer, struct outbox *outbox);
void worker_on_state_request(struct worker *worker, int64_t now_ms, uint32_t from,
                             const struct message *message, struct outbox *outbox);
/* A member has yet to get its state from this worker, which stays in the group until then. */
bool worker_owes_state(const struct worker *worker);
void worker_on_state(struct worker *worker, int64_t now_ms, uint32_t from,
                     const struct message *message, struct outbox *outbox);

void worker_on_group(struct worker *worker, int64_t now_ms, const struct message *message,
                     struct outbox *outbox);
void worker_on_switch(struct worker *worker, int64_t now_ms, const struct message *message,
                      struct outbox *outbox);
/* A member may disconnect without a loss: nothing more is to come from it. */
bool worker_can_miss(const struct worker *worker, uint32_t rank);
void worker_note_met(struct worker *worker, uint32_t rank, enum message_type type);
bool worker_must_switch(const struct worker *worker);
void worker_switch(struct worker *worker, int64_t now_ms, struct outbox *outbox);
/* A worker with nothing left to compute switches to the group that it was asked into, unless the
 * present group still needs it. True: it is in another group, or in none. */
bool worker_go_if_finished(struct worker *worker, int64_t now_ms, struct outbox *outbox);

void worker_on_checkpoint_state(struct worker *worker, int64_t now_ms,
                                const struct message *message, struct outbox *outbox);
/* Asks `source` for the state of the target phase, from the first byte that is missing on. */
void worker_request_state(struct worker *worker, struct outbox *outbox);
void worker_forget_incoming(struct worker *worker);

/* The own state as a run of bytes (worker.h). The front is made anew for each phase;
 * offset + size is within front and body. */
enum status worker_make_front(struct worker *worker, struct error *err);
void worker_read_state(const struct worker *worker, const struct text *front, uint64_t offset,
                       size_t size, char *bytes);

/* A piece of the own state, for the store. */
void worker_on_checkpoint(struct worker *worker, const struct message *message,
                          struct outbox *outbox);
/* The state is about to change: what the store does not have of it yet is copied. */
void worker_keep_snapshot(struct worker *worker);
void worker_forget_snapshot(struct worker *worker);

/* This worker's own memory has changed by itself; states up to the phase `good` are right. */
void worker_damaged(struct worker *worker, uint64_t good, const struct error *err,
                    struct outbox *outbox);
/* An error of learning; CORRUPT is damage since the begin of the phase. */
void worker_fail_or_damaged(struct worker *worker, const struct error *err, struct outbox *outbox);
void worker_send_damage(const struct worker *worker, struct outbox *outbox);
/* Rank 0: whether the checks of all members' states agree; otherwise DAMAGED goes to the master. */
bool worker_compare(struct worker *worker, struct outbox *outbox);
/* All rows and all of the state. */
bool worker_verify_all(struct worker *worker, struct outbox *outbox);
void worker_send_check(const struct worker *worker, struct outbox *outbox);
void worker_on_check(struct worker *worker, uint32_t from, const struct message *message,
                     struct outbox *outbox);
bool worker_has_check(const struct worker *worker, uint32_t rank);
void worker_publish_if_agreed(struct worker *worker, struct outbox *outbox);
void worker_tick_rows(struct worker *worker, int64_t now_ms, struct outbox *outbox);
void worker_go_back(struct worker *worker, const struct message_group *group);
void worker_count_redone(struct worker *worker);

void worker_begin_phase(struct worker *worker, int64_t now_ms, struct outbox *outbox);
void worker_abandon_phase(struct worker *worker);
/* What was computed so far and how long it took: a step may take long. */
void worker_note_time(struct worker *worker, int64_t now_ms);
void worker_compute_lanes(struct worker *worker, int64_t now_ms, struct outbox *outbox);
void worker_on_partial(struct worker *worker, int64_t now_ms, uint32_t from,
                       const struct message *message, struct outbox *outbox);
void worker_on_sum(struct worker *worker, int64_t now_ms, uint32_t from,
                   const struct message *message, struct outbox *outbox);

void worker_note_report(struct worker *worker, int64_t now_ms, const struct learner_report *report,
                        struct outbox *outbox);
/* Both are made, or none: free their lists. */
enum status worker_make_rings(struct record_ring *records, struct record_ring *evaluations,
                              struct error *err);
void worker_repeat_records(struct worker *worker, struct outbox *outbox);
void worker_announce_model(struct worker *worker, struct outbox *outbox);
void worker_on_model_next(struct worker *worker, const struct message *message);
bool worker_must_publish(const struct worker *worker);
/* Measures the model, or sends the rows that the master has asked for. */
void worker_publish(struct worker *worker, struct outbox *outbox);

void worker_do_fault(struct worker *worker, enum fault_point point);
/* A frame that was just put into the outbox, where the fault is in messages. */
void worker_flip_message(struct worker *worker, struct outbox *outbox);

static inline void worker_fault(struct worker *worker, enum fault_point point)
{
    if (worker->fault.is_set)
        worker_do_fault(worker, point);
}

#endif
