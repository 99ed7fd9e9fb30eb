/*
 * holiday_table.h - forecast.holidays: a table's rows -> the holidays of the job.
 *
 *     day         name                 the one column of dates, and the one of texts; without one
 *     2025-12-25  Christmas            all days are one holiday. Other columns are passed over.
 *     2026-04-05  Easter
 *
 * The table is read by the session as the statement's SELECT is, under the same rights. The rows go
 * into the job spec: what is done to the table later changes no job.
 */
#pragma once

#include "planner/plan/planning.h"

/* Behind the columns of the series. is_dated: the times are dates; takes_regressors: the method and
 * the statement have any; regressors: number of columns that are some. Nothing without the setting.
 * INVALID, LIMIT or the database's own failure, at the setting. */
enum status holiday_table_plan(struct planning *planning, bool is_dated, bool takes_regressors,
                               size_t regressors);
