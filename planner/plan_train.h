/*
 * plan_train.h - TRAIN -> plan.
 */
#ifndef PLANNER_PLAN_TRAIN_H
#define PLANNER_PLAN_TRAIN_H

#include "planner/planning.h"

/* plan_train.c, plan_predict.c */
enum status plan_train(struct planning *planning);

#endif
