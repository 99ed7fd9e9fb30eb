/*
 * plan_train.h - TRAIN -> plan.
 */
#pragma once

#include "planner/plan/planning.h"

/* plan_train.c, plan_predict.c */
enum status plan_train(struct planning *planning);
