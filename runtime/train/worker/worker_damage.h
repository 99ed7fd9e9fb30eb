/*
 * worker_damage.h - a bit of one worker's memory that was inverted reaches no model.
 *
 *     own memory     weights, slots, sums and rows are checked where they are used
 *                    (learner_guard.c, sums.c): DAMAGED, and this worker has failed
 *     other workers  each puts a check of its state into its PARTIAL to rank 0, and at the end into
 *                    CHECK (learner_check). Rank 0 compares before it sends the SUM that makes the
 *                    phase count: DAMAGED names the worker that differs from most, or a tie
 *
 * DAMAGED names the phase up to which states are good. The master replaces the worker that it is
 * about; workers whose state is of a later phase begin anew (worker_go_back) and get an earlier
 * one.
 */
#pragma once

#include "runtime/train/worker/worker.h"

struct message;
struct message_group;

/* This worker's own memory has changed by itself; states up to the phase `good` are right. */
void worker_damaged(struct worker *worker, uint64_t good, const struct error *err,
                    struct outbox *outbox);
/* An error of learning; CORRUPT is damage since the begin of the phase. */
void worker_fail_or_damaged(struct worker *worker, const struct error *err, struct outbox *outbox);
void worker_send_damage(const struct worker *worker, struct outbox *outbox);
/* Rank 0: whether the checks of all members' states agree; otherwise DAMAGED goes to the master. */
bool worker_compare(struct worker *worker, struct outbox *outbox);
/* To a master that may not have heard of the last difference: nothing where it has. */
void worker_repeat_difference(const struct worker *worker, struct outbox *outbox);
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
