/*
 * evaluate_run.h - TO EVALUATE in the session itself: of one model, or of several on the same rows.
 *
 *     rows of the SELECT, once --+--> scorer of a --> metrics of a --> a row of the result
 *                                +--> scorer of b --> metrics of b --> a row of the result
 *
 * A row that is bad for one of the models is bad for all of them, so that what is compared is
 * measured on the same rows.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "planner/plan/plan.h"

enum status evaluate_run(const struct host *host, const struct plan *plan, struct arena *arena,
                         const struct sink *sink, struct error *err);
