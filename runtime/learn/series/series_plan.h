/*
 * series_plan.h - a statement -> the settings that all series of its job have in common.
 */
#pragma once

#include "runtime/learn/series/series_fit.h"

/* NULL of a statement that the planner let through: INVALID. */
enum status series_plan_make(const struct forecast_params *params, bool are_numbers,
                             struct series_plan *plan, struct error *err);
/* With the step of all series, from which the seasons follow where none are given. INVALID where a
 * method needs a season and the times have none. */
enum status series_plan_settle(struct series_plan *plan, const struct steps *steps,
                               struct error *err);
