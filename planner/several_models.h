/*
 * several_models.h - TO EVALUATE a, b, c: models that are measured on the same rows.
 *
 *     plan of a  --->  others: plan of b, plan of c     each as if its model stood there alone
 *                |
 *                +---> one list of metrics for all of them
 *
 * They have one task and one label, and the session reads the rows once. Metrics that the statement
 * does not name are those that all of the models have by themselves.
 */
#pragma once

#include "planner/plan/planning.h"

/* Behind plan_evaluate_one: the plans of the others, in the plan of the first. INVALID at the model
 * that cannot be compared with the first. */
enum status several_models_plan(struct planning *planning);
