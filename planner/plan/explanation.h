/*
 * explanation.h - the lines of an EXPLAIN, written one after the other.
 *
 *     begin --(text into detail, line)*--> end
 */
#pragma once

#include "planner/plan/plan.h"

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

struct explanation {
    const struct plan *plan;
    struct plan_history history;
    struct arena *arena;
    struct plan_line *lines;
    size_t count;
    struct text detail; /* detail of the line being written */
    bool failed;        /* out of memory: reported at the end */
};

/* `most` is how many lines there can be. */
enum status explanation_begin(struct explanation *explanation, const struct plan *plan,
                              struct arena *arena, size_t most, struct error *err);
/* The detail so far becomes the line `item`, or `item name`. */
void explanation_line(struct explanation *explanation, const char *item);
void explanation_line_of(struct explanation *explanation, const char *item, struct slice name);
enum status explanation_end(struct explanation *explanation, struct plan_line **lines,
                            size_t *count, struct error *err);
