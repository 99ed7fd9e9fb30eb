/*
 * worker_report.h - progress, and at the end the model.
 */
#pragma once

#include "runtime/train/worker/worker.h"

struct message;

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
