/*
 * working_training.h - the worker (worker.h) as the role that works for a job which trains.
 */
#ifndef RUNTIME_PROCESS_WORKING_TRAINING_H
#define RUNTIME_PROCESS_WORKING_TRAINING_H

#include "runtime/process/working_role.h"

extern const struct working_role training_worker;

/* For a role that it follows, under the same options: *state is its own then, and it has begun.
 * Where it cannot begin the loop ends. */
void training_worker_follow(const struct working_options *options, void **state);
/* training_worker.stop; the state is freed where it has ended. */
bool training_worker_end(void *state);

#endif
