/*
 * explain.h - the lines of EXPLAIN.
 */
#pragma once

#include "planner/plan/explanation.h"

/* Lines that EXPLAIN SELECT ... shows. TO PREDICT and TO EVALUATE: model, inputs, results, workers
 * where the statement asks for some. TO TRAIN, first the lines that a user looks for first: columns
 * with their kinds and why (ten and more of one kind side by side in one line), label, rows, steps,
 * time, notices, attributes that the user set, and all defaults in one line; then where it runs,
 * workers, memory, parameters, lanes and speed-up (L / ceil(L / W)). `rows` is about how many rows
 * TO TRAIN has; 0: not known. history NULL: there are no earlier jobs. */
enum status plan_explain(const struct plan *plan, uint64_t rows, const struct plan_history *history,
                         struct arena *arena, struct plan_line **lines, size_t *count,
                         struct error *err);
