/*
 * explain.h - the lines of EXPLAIN.
 */
#pragma once

#include "planner/plan.h"

/* One line of EXPLAIN's result. */
struct plan_line {
    struct slice item, detail;
};

/* How fast earlier jobs of TO TRAIN's statement were. */
struct plan_history {
    int64_t job;        /* the newest of them */
    uint32_t jobs;      /* 0: there were none, and nothing else is known */
    uint32_t first;     /* workers that the job begins with; 0: all that it may have */
    uint32_t workers;   /* a row takes so long with so many: */
    double row_seconds; /* 0: not known */
    bool is_measured;   /* with as many; else by the curve of other numbers */
};

/* Lines that EXPLAIN SELECT ... shows. TO PREDICT and TO EVALUATE: model, inputs, results, workers
 * where the statement asks for some. TO TRAIN, first the lines that a user looks for first: columns
 * with their kinds and why (ten and more of one kind side by side in one line), label, rows, steps,
 * time, notices, attributes that the user set, and all defaults in one line; then where it runs,
 * workers, memory, parameters, lanes and speed-up (L / ceil(L / W)). `rows` is about how many rows
 * TO TRAIN has; 0: not known. history NULL: there are no earlier jobs. */
enum status plan_explain(const struct plan *plan, uint64_t rows, const struct plan_history *history,
                         struct arena *arena, struct plan_line **lines, size_t *count,
                         struct error *err);
