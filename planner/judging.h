/*
 * judging.h - evaluate.report, evaluate.threshold and predict.threshold, checked against the model.
 */
#pragma once

#include "planner/plan/planning.h"

/* INVALID, UNSUPPORTED: the model has no such report, or not two classes. After model_find. */
enum status report_plan(struct planning *planning);
enum status threshold_plan(struct planning *planning, const char *attribute);
/* validation.average has a use only of classes. */
enum status average_check(const struct planning *planning);

/* Finds the columns that metrics of a ranking or of times need beside the label of EVALUATE: the
 * model's, where the statement names no others. INVALID where there is none. */
enum status aim_columns_plan(struct planning *planning);
