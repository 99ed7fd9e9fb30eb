/*
 * plan_predict.h - PREDICT and EVALUATE -> plan.
 */
#ifndef PLANNER_PLAN_PREDICT_H
#define PLANNER_PLAN_PREDICT_H

#include "planner/planning.h"

enum status plan_predict(struct planning *planning);
enum status plan_evaluate(struct planning *planning);

#endif
