/*
 * worker_phase.h - one phase: own lanes, the group's sums, what is applied.
 */
#pragma once

#include "runtime/train/worker/worker.h"

struct message;

void worker_begin_phase(struct worker *worker, int64_t now_ms, struct outbox *outbox);
void worker_abandon_phase(struct worker *worker);
/* Notes the part computed so far and its time: a step may take long. */
void worker_note_time(struct worker *worker, int64_t now_ms);
void worker_compute_lanes(struct worker *worker, int64_t now_ms, struct outbox *outbox);
void worker_on_partial(struct worker *worker, int64_t now_ms, uint32_t from,
                       const struct message *message, struct outbox *outbox);
void worker_on_sum(struct worker *worker, int64_t now_ms, uint32_t from,
                   const struct message *message, struct outbox *outbox);
