/*
 * training.h - settings -> plan->spec.
 */
#ifndef PLANNER_TRAINING_H
#define PLANNER_TRAINING_H

#include "planner/planning.h"

enum status training_plan(struct planning *planning);

#endif
