/*
 * inside_run.h - TO EXPLAIN m USING a table of what the model consists of (struct model_inside):
 * coefficients, say. The SELECT's rows are not read.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "planner/plan/plan.h"

/* The names of the result's columns, in the arena. */
enum status inside_columns(const struct plan *plan, struct arena *arena, struct slice **names,
                           size_t *count, struct error *err);
enum status inside_run(const struct host *host, const struct plan *plan, const struct model *model,
                       struct arena *arena, const struct sink *sink, struct error *err);
