/*
 * small_job.h - jobs that take longer to be started than to be learned.
 */
#pragma once

#include "planner/plan/plan.h"

/* A small job of one worker has its master and its worker in the supervisor: to start them apart
 * takes longer than the job, and with one worker no other could go on when it dies. One with
 * parameter servers is never small: they are processes of their own. */
bool job_is_small(const struct plan *plan, const struct jobspec *spec, uint64_t rows);
