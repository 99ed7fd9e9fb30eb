/*
 * plan_predict.h - PREDICT, EVALUATE and TO EXPLAIN -> plan.
 */
#pragma once

#include "planner/plan/planning.h"

enum status plan_predict(struct planning *planning);
enum status plan_evaluate(struct planning *planning);
/* The same of the statement's first model alone, as if there were no others. */
enum status plan_evaluate_one(struct planning *planning);
enum status plan_explain_model(struct planning *planning);
