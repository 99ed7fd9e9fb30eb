/*
 * explain_model.h - SELECT ... TO EXPLAIN model: the model is loaded, and explained by one of
 *
 *     importance_run.h    USING permutation, the default
 *     shap_run.h          USING SHAP
 *     inside_run.h        USING a table of what the model consists of
 */
#pragma once

#include "extension/engine/host/host.h"
#include "planner/plan/plan.h"

/* The names of the result's columns, which depend on the model, in the arena. */
enum status explain_model_columns(const struct plan *plan, struct arena *arena,
                                  struct slice **names, size_t *count, struct error *err);
enum status explain_model_run(const struct host *host, const struct plan *plan, struct arena *arena,
                              const struct sink *sink, struct error *err);
