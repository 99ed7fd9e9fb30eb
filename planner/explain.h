/*
 * explain.h - the lines of EXPLAIN.
 */
#ifndef PLANNER_EXPLAIN_H
#define PLANNER_EXPLAIN_H

#include "planner/plan.h"

/* One line of EXPLAIN's result. */
struct plan_line {
    struct slice item, detail;
};

/* What EXPLAIN SELECT ... shows. Of TO PREDICT and TO EVALUATE: model, inputs, what is
 * made of them, workers where the statement asks for some. Of TO TRAIN, first what a user asks
 * first: columns with their kinds and why (ten and more of one kind side by side in one line),
 * label, rows, steps, time, notices, what the user set, and all defaults in one line; then where it
 * runs, workers, memory, parameters, lanes and speed-up (L / ceil(L / W)). rows: of TO TRAIN, about
 * how many there are; 0: it is not known. */
enum status plan_explain(const struct plan *plan, uint64_t rows, struct arena *arena,
                         struct plan_line **lines, size_t *count, struct error *err);

#endif
