/*
 * metric_list.h - validation.metrics -> names of metrics.
 */
#pragma once

#include "planner/plan/planning.h"

/* Plans the metrics of the statement, which fit the model's aim. Where it names none, they are
 * those of the aim `usual`; with `classes` 0, a number that is not known yet, metrics of two
 * classes are among them. */
enum status metrics_plan(struct planning *planning, enum task task, enum aim aim, enum aim usual,
                         uint32_t classes);
/* The one metric that the attribute names, of those of the aim, else `other`: plan->metrics[0]. */
enum status metric_plan(struct planning *planning, const char *attribute, enum task task,
                        enum aim aim, enum metric other);
