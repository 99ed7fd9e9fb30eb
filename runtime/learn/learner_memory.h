/*
 * learner_memory.h - how large the state of a learner may be, so that what does not fit is refused
 * with the bytes before anything is allocated.
 */
#pragma once

#include "base/error.h"
#include "jobspec/jobspec.h"

/* The bytes by job_learner_bytes_max for job.memory, and no more than the machine has. */
uint64_t learner_bytes_max(const struct jobspec *spec);

/* LIMIT where learning takes more bytes than a worker has: "WHO need N bytes to train on R rows,
 * and a worker has at most M". The hint is learner_hint_bytes of the advice. */
enum status learner_check_bytes(const struct jobspec *spec, uint64_t rows, double bytes,
                                const char *who, const char *advice, struct error *err);

/* The error gets `advice` as its hint, after job.memory where that is the limit. Returns the
 * error's status. */
enum status learner_hint_bytes(const struct jobspec *spec, const char *advice, struct error *err);
