/*
 * worker_fault.h - what a test does to a worker at a named point (fault.h). Memories in which a bit
 * can be inverted, besides those of the learner (learner_memory in runtime/learn/learner.h):
 *
 *     sums      fixed-point sums of the phase        integers  its integers
 *     reals     what is about to be applied          message   the next frame of sums that is sent
 */
#pragma once

#include "runtime/train/worker/worker.h"

void worker_do_fault(struct worker *worker, enum fault_point point);
/* A frame that was just put into the outbox, where the fault is in messages. */
void worker_flip_message(struct worker *worker, struct outbox *outbox);
