/*
 * forecast_kind.h - the kind "forecast": what comes next in each of many series.
 *
 * A row is the ids of a series and a time; its outputs are the lower bound, the number that is
 * expected, and the upper bound of that time, as floats whose sums they are (output_parts). A time
 * that is not forecast has NAN, of which nothing is predicted.
 */
#pragma once

#include "kinds/forecast/forecast_attributes.h"

/* 64-bit words that learning has for each series, and for each of its steps (series_fit.h). */
#define FORECAST_RECORD_WORDS 24
#define FORECAST_STEP_WORDS   3
/* and for each value of the history whose expectation is kept */
#define FORECAST_EXPECTED_WORDS 2
/* and for a hierarchy, each origin of the past, and each of its steps */
#define FORECAST_HIERARCHY_WORDS 2
#define FORECAST_ORIGIN_WORDS    2
#define FORECAST_PAST_WORDS      4
/* and for the parameters of a series that are kept, beside their numbers */
#define FORECAST_KEPT_WORDS 2
#define FORECAST_QUANTILES  3 /* lower bound, value, upper bound */

extern const struct kind forecast_kind;

/* The quantiles that the three numbers of a row are. */
struct aim_facts forecast_aim(double level);
