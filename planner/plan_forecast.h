/*
 * plan_forecast.h - FORECAST -> plan.
 */
#ifndef PLANNER_PLAN_FORECAST_H
#define PLANNER_PLAN_FORECAST_H

#include "planner/planning.h"

enum status plan_forecast(struct planning *planning);

#endif
