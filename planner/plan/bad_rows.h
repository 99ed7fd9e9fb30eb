/*
 * bad_rows.h - what becomes of the rows that cannot be used: the settings *.bad_rows.
 */
#pragma once

#include "planner/plan/planning.h"

/* Before the query is described, when the tables are known; and after. */
enum status bad_rows_plan(struct planning *planning, const char *attribute);
enum status bad_rows_check(struct planning *planning, const char *attribute);
