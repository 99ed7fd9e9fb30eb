/*
 * cluster.h - where the processes of TRAIN run, and what the job asks of the cluster.
 */
#ifndef PLANNER_CLUSTER_H
#define PLANNER_CLUSTER_H

#include "planner/planning.h"

/* Where the processes of TRAIN run. */
enum status cluster_plan(struct planning *planning);
/* Has the attribute of this name a use on clusters alone? */
bool cluster_knows(const char *attribute);

#endif
