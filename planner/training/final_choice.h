/*
 * final_choice.h - train.threshold and train.calibration, checked against the estimator and the
 * rows that are held out.
 */
#pragma once

#include "planner/plan/planning.h"

/* Into the job spec. INVALID where the model will have no probabilities, or no rows are held out.
 * After folds_plan and settle. */
enum status final_step_plan(struct planning *planning);
