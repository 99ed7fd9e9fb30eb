/*
 * learner_memory.h - how large the state of a learner may be, so that what does not fit is refused
 * with the bytes before anything is allocated.
 */
#ifndef RUNTIME_LEARN_LEARNER_MEMORY_H
#define RUNTIME_LEARN_LEARNER_MEMORY_H

#include "base/error.h"
#include "jobspec/jobspec.h"

/* As job_learner_bytes_max for the job's job.memory, and no more than the machine has. */
uint64_t learner_bytes_max(const struct jobspec *spec);

/* The error gets `advice` as its hint, after job.memory where that is the limit. Returns the
 * error's status. */
enum status learner_hint_bytes(const struct jobspec *spec, const char *advice, struct error *err);

#endif
