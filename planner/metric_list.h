/*
 * metric_list.h - validation.metrics -> names of metrics.
 */
#ifndef PLANNER_METRIC_LIST_H
#define PLANNER_METRIC_LIST_H

#include "planner/planning.h"

/* Of the model's classes, 0: their number is not known yet: then metrics of two classes are among
 * those that are measured where the statement names none. Of a regressor the metrics are those that
 * fit its aim, and those of `usual` where the statement names none. */
enum status metrics_plan(struct planning *planning, enum task task, enum aim aim, enum aim usual,
                         uint32_t classes);
/* The one metric that the attribute names, of those of the aim, else `other`: plan->metrics[0]. */
enum status metric_plan(struct planning *planning, const char *attribute, enum task task,
                        enum aim aim, enum metric other);

#endif
