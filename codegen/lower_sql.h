/*
 * lower_sql.h - what several statements write into their SQL.
 */
#pragma once

#include "planner/plan/plan.h"

/* A server may be set to read backslashes: E'' is read in one way only. */
void lower_literal(struct slice value, struct text *sql);
/* CREATE TABLE "schema"."name", where the plan's statement writes. */
void lower_table(const struct plan *plan, struct slice name, struct text *sql);
