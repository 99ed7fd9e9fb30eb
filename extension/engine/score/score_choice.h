/*
 * score_choice.h - does the session score the rows, or do workers?
 */
#pragma once

#include "extension/engine/host/host.h"
#include "planner/plan/plan.h"

/* PREDICT and EVALUATE, by workers where job.* asks for them, and by itself where it pays: then a
 * notice says so, and the session scores where no job can be made. */
enum status score_run(const struct host *host, const struct plan *plan, struct arena *arena,
                      const struct sink *sink, struct error *err);

/* Which processes would score, and why: EXPLAIN's line. */
struct score_choice {
    bool by_workers;
    char why[200];
};
void score_choose(const struct host *host, const struct plan *plan, struct score_choice *choice);

/* The cost of a row that goes to workers and comes back, in multiplications of a model in the
 * session: score_choice.c. */
#define SCORE_TRANSFER_PREDICT  20000.0
#define SCORE_TRANSFER_KEPT     200000.0 /* where the host keeps the rows (host.h) */
#define SCORE_TRANSFER_EVALUATE 150000.0
/* On so many processors, that much faster than in the session. Public for its test. */
bool score_pays(double transfer_cost, uint64_t rows, double work_per_row, uint32_t cores);
/* job.max_workers where the statement does not set it (wanted 0): the cores,
 * within what the host allows (0: anything). Public for its test. */
uint32_t score_most_workers(uint32_t wanted, uint32_t least, uint32_t cores, uint32_t limit);
