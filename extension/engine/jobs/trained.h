/*
 * trained.h - what a job leaves in its job.db: the model, and the rows that TRAIN ends with.
 */
#pragma once

#include "extension/engine/host/sink.h"
#include "runtime/data/store/jobstore.h"
#include "scoring/model.h"

/* The model in a job's store, checked as any stored model is. */
enum status job_model_read(struct jobstore *store, struct arena *arena, struct model *model,
                           struct error *err);
/* The parts of a model that metrics need when others have scored the rows: for most models the meta
 * row (model_read_meta). */
enum status job_model_measured(struct jobstore *store, struct arena *arena, struct model *model,
                               struct error *err);
/* The same of a job that has trained it, and with it the rows that TRAIN ends with, which SHOW
 * TRAIN finds in any copy. FAILED where the model does not keep `require`, the job spec's; empty:
 * nothing is required. */
enum status trained_model_read(struct jobstore *store, struct slice require, struct arena *arena,
                               struct model *model, struct error *err);

/* Did that fail since the model does not keep train.require? It is never published then. */
bool trained_is_refused(const struct error *err);

struct train_facts {
    int64_t job, version, rows; /* 0: not known, and not shown */
    double seconds;
    int64_t bad_rows; /* -1: not counted, and not shown */
};
/* Metrics, facts, and the notices of the model in the store: train_rows.h. */
enum status train_result_put(struct jobstore *store, const struct train_facts *facts,
                             const struct sink *sink, struct error *err);
