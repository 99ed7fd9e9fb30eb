/*
 * show_model.h - one model: how it was trained, and what it is.
 *
 * SHOW TRAIN m: a row an epoch: epoch, seconds, train_loss, validation_loss, and the score of the
 * rows that were held out, below the name of its metric; kept, where the model has the weights of
 * another epoch than the last: 1 of that epoch, else 0.
 *
 * SHOW MODEL m: name, value: what it is, settings, inputs, what was measured, notices.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "planner/plan/plan.h"

/* The columns of SHOW TRAIN follow from the task of the plan's model; they are static. */
#define SHOW_TRAIN_COLUMNS_MAX (6 + 2 * METRICS_MAX)
enum status show_train_columns(const struct plan *plan, struct arena *arena,
                               struct slice names[SHOW_TRAIN_COLUMNS_MAX], size_t *count,
                               struct error *err);

enum status show_train_run(const struct host *host, const struct plan *plan, struct arena *arena,
                           const struct sink *sink, struct error *err);
enum status show_model_run(const struct host *host, const struct plan *plan, struct arena *arena,
                           const struct sink *sink, struct error *err);
