/*
 * train.h - SELECT ... TO TRAIN: rows into a job's folder, processes over them, and what they leave
 * in job.db into the user's database.
 */
#ifndef EXTENSION_ENGINE_JOBS_TRAIN_H
#define EXTENSION_ENGINE_JOBS_TRAIN_H

#include "extension/engine/host/host.h"
#include "planner/plan.h"

/* The statement's rows: train_rows.h; of a job that goes on without the session its number
 * alone. */
enum status train_run(const struct host *host, const struct plan *plan, struct arena *arena,
                      const struct sink *sink, struct error *err);

#endif
