/*
 * direct.h - which tables the workers of a job with job.read = 'direct' are to read, and how.
 */
#pragma once

#include "base/error.h"
#include "extension/engine/host/host.h"
#include "extension/engine/rows/direct_order.h"
#include "planner/plan/plan.h"

/* The order, in the arena and as a file of the folder. counts: cells are counted, for
 * direct_verdict.h. UNSUPPORTED, PERMISSION with the reason why not. */
enum status direct_prepare(const struct host *host, const struct plan *plan, bool counts,
                           const struct job_folder *folder, struct arena *arena,
                           struct direct_order *order, struct error *err);
