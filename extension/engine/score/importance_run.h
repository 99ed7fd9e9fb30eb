/*
 * importance_run.h - SELECT ... TO EXPLAIN model: which inputs matter to it, by the session itself.
 */
#ifndef EXTENSION_ENGINE_SCORE_IMPORTANCE_RUN_H
#define EXTENSION_ENGINE_SCORE_IMPORTANCE_RUN_H

#include "extension/engine/host/host.h"
#include "planner/plan.h"

/* A row a column of the SELECT that the model takes: input, importance (by how much the metric is
 * worse when its values are dealt out anew, the mean of the repeats), deviation (of the repeats),
 * metric, baseline (the metric of the rows as they are); the most important one first. */
enum status importance_run(const struct host *host, const struct plan *plan, struct arena *arena,
                           const struct sink *sink, struct error *err);

#endif
