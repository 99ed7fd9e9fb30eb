/*
 * show.h - EXPLAIN and SHOW ATTRIBUTES; show_model.h and show_lists.h have the rest of SHOW.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "planner/plan/plan.h"

/* EXPLAIN of any statement of ours: the plan, line by line. */
enum status explain_run(const struct host *host, const struct plan *plan, struct arena *arena,
                        const struct sink *sink, struct error *err);
/* The attributes that statements know. */
enum status show_attributes_run(const struct plan *plan, const struct sink *sink,
                                struct error *err);
