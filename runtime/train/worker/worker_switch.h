/*
 * worker_switch.h - from one group to the next between two phases, without losing the one in
 * flight; and the way out of a group for a worker that was asked to go.
 */
#pragma once

#include "runtime/train/worker/worker.h"

struct message;

/* Drains the worker: it hands its work over before it ends. */
void worker_leave(struct worker *worker, int64_t now_ms, struct outbox *outbox);

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
