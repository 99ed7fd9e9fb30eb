/*
 * forecast_span.h - the days that a statement forecasts -> forecast.horizon.
 *
 * As SQLFlow's models of series have it: from forecast.start to forecast.end, both of which count.
 */
#pragma once

#include "planner/plan/planning.h"

/* forecast.horizon, a step for each day; NULL: the statement has no such days. INVALID for one of
 * both alone, for what is no date, for an end before the start, beside forecast.horizon, and where
 * dates would be written in another form than ISO's. */
enum status forecast_span_setting(struct planning *planning, const struct setting **setting);
