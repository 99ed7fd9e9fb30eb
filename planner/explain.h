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
 * made of them, workers where the statement asks for some. Of TO TRAIN: columns with their kinds
 * and why, label, parameters where they are known, lanes, workers and speed-up (L / ceil(L / W)),
 * memory, where it runs, every attribute with its value and whether the user set it. */
enum status plan_explain(const struct plan *plan, struct arena *arena, struct plan_line **lines,
                         size_t *count, struct error *err);

#endif
