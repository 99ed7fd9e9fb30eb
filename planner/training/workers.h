/*
 * workers.h - job.* of PREDICT and EVALUATE -> plan->scoring, once their target is planned.
 */
#pragma once

#include "planner/plan/planning.h"

/* Job.* of PREDICT and EVALUATE, after their target. */
enum status workers_plan(struct planning *planning);
/* LIMIT for more workers than the host allows. */
enum status workers_check(const struct planning *planning, uint32_t least, uint32_t most);
