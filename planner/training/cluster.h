/*
 * cluster.h - where the processes of a job run, and what it asks of the cluster.
 */
#pragma once

#include "planner/plan/planning.h"

/* Once it is known whether the session waits for the job. */
enum status cluster_plan(struct planning *planning);
/* job.read, of TRAIN. */
enum status cluster_plan_reading(struct planning *planning);
/* Has the attribute of this name a use on clusters alone? */
bool cluster_knows(const char *attribute);
