/*
 * opening.h - the data set and the learner, opened beside the loop.
 *
 * Encoding the rows can take seconds, in which a process must still hear that
 * its job was cancelled. So a thread does it; the loop hears when it is ready.
 * A process that has to end before that just ends.
 */
#ifndef RUNTIME_PROCESS_OPENING_H
#define RUNTIME_PROCESS_OPENING_H

#include "runtime/learn/learning.h"
#include "runtime/loop/loop.h"
#include "runtime/role/job.h"

struct opening;

/* `ready` is called once from the loop. */
enum status opening_start(struct loop *loop, const struct job *job, void (*ready)(void *context),
                          void *context, struct opening **opening, struct error *err);
bool opening_is_done(const struct opening *opening);
/* NULL, and why, when the job's rows cannot be learned from. */
const struct learning *opening_learning(const struct opening *opening);
/* The learner computes with so many threads from now on. NO_MEMORY: it cannot go on. */
enum status opening_use_threads(struct opening *opening, uint32_t threads, struct error *err);
const struct error *opening_error(const struct opening *opening);
/* Only when it is done. */
void opening_free(struct opening *opening);

#endif
