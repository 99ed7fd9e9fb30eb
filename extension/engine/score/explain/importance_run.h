/*
 * importance_run.h - TO EXPLAIN model USING permutation: which inputs matter to it, by the session
 * itself.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "planner/plan/plan.h"

/* The names of the result's columns, in the arena. A row is about a column of the SELECT that the
 * model takes: input, importance (by how much the metric is worse when its values are dealt out
 * anew, the mean of the repeats), deviation (of the repeats), metric, baseline (the metric of the
 * rows as they are), and with summary.plot_type importance as a bar; the most important one first,
 * or with summary.sort = false in the order of the model's. */
enum status importance_columns(const struct plan *plan, struct arena *arena, struct slice **names,
                               size_t *count, struct error *err);
enum status importance_run(const struct host *host, const struct plan *plan,
                           const struct model *model, struct arena *arena, const struct sink *sink,
                           struct error *err);
