/*
 * worker_snapshot.h - the own state on its way into the store, which asks for it piece by piece
 * while the steps go on.
 *
 *     CHECKPOINT 0 --> front, read where it lies --apply--> the rest in blocks
 *                          |  SNAPSHOT: a piece                |
 *                          +-----------------------------------+--> all is sent
 */
#pragma once

#include "runtime/train/worker/worker.h"

struct message;

/* A piece of the own state, for the store. */
void worker_on_checkpoint(struct worker *worker, const struct message *message,
                          struct outbox *outbox);
/* The state is about to change: what the store does not have of it yet is copied. */
void worker_keep_snapshot(struct worker *worker);
void worker_forget_snapshot(struct worker *worker);
