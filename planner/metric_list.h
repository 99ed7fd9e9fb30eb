/*
 * metric_list.h - validation.metrics -> names of metrics.
 */
#ifndef PLANNER_METRIC_LIST_H
#define PLANNER_METRIC_LIST_H

#include "planner/planning.h"

enum status metrics_plan(struct planning *planning, enum task task);

#endif
