/*
 * show.h - statements that only read and print: EXPLAIN and SHOW.
 */
#ifndef EXTENSION_ENGINE_SHOW_H
#define EXTENSION_ENGINE_SHOW_H

#include "extension/engine/host/host.h"
#include "planner/plan.h"

/* EXPLAIN of any statement of ours: the plan, line by line. */
enum status explain_run(const struct host *host, const struct plan *plan, struct arena *arena,
                        const struct sink *sink, struct error *err);
/* How a model was trained. */
enum status show_train_run(const struct host *host, const struct plan *plan, struct arena *arena,
                           const struct sink *sink, struct error *err);
/* The jobs of this user. */
enum status show_jobs_run(const struct host *host, const struct sink *sink, struct error *err);
/* The attributes that statements know. */
enum status show_attributes_run(const struct plan *plan, const struct sink *sink,
                                struct error *err);

#endif
