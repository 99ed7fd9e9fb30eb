/*
 * column_dates.h - columns of dates -> the parts of them that a model takes (inputs/cells/dates.h).
 */
#pragma once

#include "planner/plan/planning.h"

/* There are dates, and of the cells that are not missing at most one in 20 is none. */
bool column_is_date(const struct query_column *column);

/* The parts where the statement names none: age, month, weekday, and hour where the sample has
 * times; the age alone of a model that takes numbers alone. */
uint32_t date_parts_usual(const struct planning *planning, const struct query_column *column);

/* DATE(c[, 'part', ...]): *parts is 0 where none is named. */
enum status date_parts_read(const struct column *call, uint32_t *parts, struct error *err);

/* "age, month and weekday" */
void date_parts_append(uint32_t parts, struct text *out);

/* INVALID, naming the column, where more cells than that are no dates. */
enum status column_check_dates(const struct planning *planning, const struct query_column *column,
                               int position);

/* For a column of dates that was not named in DATE(). */
enum status date_notice(const struct planning *planning, const struct query_column *column);
