/*
 * show_lists.h - SHOW MODELS and SHOW JOBS: what there is, for people; with FULL all that is known.
 */
#pragma once

#include "extension/engine/host/host.h"

/* name, kind, label, rows, metric, value, part, age; or the columns of put_model (stored.h). */
#define SHOW_MODELS_COLUMNS 8
enum status show_models_run(const struct host *host, bool is_full, const struct sink *sink,
                            struct error *err);

/* The jobs of this user, the newest first: those of the session's database, or all. A host without
 * a database has all. */
enum status show_jobs_run(const struct host *host, bool is_full, const struct sink *sink,
                          struct error *err);
