/*
 * show_trials.h - SHOW TRIALS m: what the search that found the model has tried.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "planner/plan/plan.h"

/* trial, state, metric, value, epochs, settings, error; in the order of the trials. No row of a
 * model that no search has found. */
#define SHOW_TRIALS_COLUMNS 8
enum status show_trials_run(const struct host *host, const struct plan *plan, struct arena *arena,
                            const struct sink *sink, struct error *err);

/* The settings of the best trial, in the arena; size 0: there was no search. CORRUPT for what no
 * search has written. */
enum status best_trial(const struct model *model, struct arena *arena, struct slice *settings,
                       struct error *err);
