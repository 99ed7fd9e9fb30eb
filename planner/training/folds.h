/*
 * folds.h - train.folds: measuring by cross-validation.
 */
#pragma once

#include "planner/plan/planning.h"

/* plan->folds, and no rows held out besides. INVALID beside what holds rows out otherwise,
 * UNSUPPORTED where the session does not wait or has no rows on this machine. After the settings
 * are in the plan. */
enum status folds_plan(struct planning *planning);
/* The same of where the job runs and who reads the rows, once that is planned. */
enum status folds_check_job(const struct planning *planning);
