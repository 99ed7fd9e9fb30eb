/*
 * worker_state.h - the state that one worker has and another continues from: the learner's, and the
 * records of it that the master may not have.
 */
#pragma once

#include "runtime/train/worker/worker.h"

struct message;

void worker_on_state_request(struct worker *worker, int64_t now_ms, uint32_t from,
                             const struct message *message, struct outbox *outbox);
/* A member has yet to get its state from this worker, which stays in the group until then. */
bool worker_owes_state(const struct worker *worker);
void worker_on_state(struct worker *worker, int64_t now_ms, uint32_t from,
                     const struct message *message, struct outbox *outbox);

void worker_on_checkpoint_state(struct worker *worker, int64_t now_ms,
                                const struct message *message, struct outbox *outbox);
/* Asks `source` for the state of the target phase, from the first byte that is missing on. */
void worker_request_state(struct worker *worker, struct outbox *outbox);
void worker_forget_incoming(struct worker *worker);

/* The own state as a run of bytes (worker.h). The front is made anew for each phase;
 * offset + size is within front and body. */
/* The front of a state of which nothing was reported yet, for a learner that did not learn in a
 * worker: appended. */
enum status worker_state_front(struct learner *learner, uint64_t rows_done, struct text *front,
                               struct error *err);
void worker_state_read(struct learner *learner, const struct text *front, uint64_t offset,
                       size_t size, char *bytes);
enum status worker_make_front(struct worker *worker, struct error *err);
void worker_read_state(const struct worker *worker, const struct text *front, uint64_t offset,
                       size_t size, char *bytes);
