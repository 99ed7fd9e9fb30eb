/*
 * series_columns.h - forecast.time, forecast.group -> the inputs of a model that learns series:
 * first the columns that tell a series, as categories of which every word counts, then the time,
 * and regressors: all other columns of the SELECT that are numbers.
 *
 * Such a model has no COLUMN clause: it is made here, of the two settings. Columns that are neither
 * are no inputs, and a notice says so.
 */
#pragma once

#include "planner/plan/planning.h"

/* Before the columns are planned, and after the label: nothing for other kinds. INVALID for a
 * COLUMN clause, for columns that there are not, that are the label, or named twice, and for a time
 * that is neither dates nor numbers; LIMIT for too many regressors. */
enum status series_columns_plan(struct planning *planning);

/* Once the inputs are made: brings them into their order. */
void series_columns_order(const struct planning *planning);
