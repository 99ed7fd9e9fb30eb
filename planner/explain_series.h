/*
 * explain_series.h - TO EXPLAIN of a forecast: the rows of series as the sums of their parts.
 *
 *     SELECT store, day, sales ... TO EXPLAIN m
 *         store, day, sales, trend, season_7, remainder, level_shift
 *
 * There is a column for each length of a season that some series of the model have, and for the
 * shorter ones that its step suggests. A name that the history has is LABEL_name.
 */
#pragma once

#include "planner/plan/planning.h"

/* UNSUPPORTED for an explainer that is named, INVALID for attributes of other explanations. */
enum status explain_series_plan(struct planning *planning);
