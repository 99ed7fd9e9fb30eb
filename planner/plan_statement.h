/*
 * plan_statement.h - a statement -> its plan (plan.h), whichever statement it is.
 */
#pragma once

#include "planner/plan/plan.h"

/* INVALID, NOT_FOUND, UNSUPPORTED or DATABASE, with the position in `text` and
 * a hint. `text` is the whole program text that statement's positions mean. */
enum status plan_statement(const struct statement *statement, struct slice text,
                           const struct catalog *catalog, struct arena *arena, struct plan *plan,
                           struct error *err);
