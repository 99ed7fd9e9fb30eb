/*
 * plan_forecast.h - FORECAST -> plan.
 */
#pragma once

#include "planner/plan/planning.h"

enum status plan_forecast(struct planning *planning);

/* Begins plan->results with the columns of the group, the time and the label, and room for as many
 * more. */
enum status forecast_keys_plan(struct planning *planning, uint32_t more);

/* Has the history of the model such a column? */
bool forecast_name_is_taken(const struct plan *plan, struct slice name);
