/*
 * explain_score.h - plan_explain of PREDICT and EVALUATE.
 */
#ifndef PLANNER_EXPLAIN_SCORE_H
#define PLANNER_EXPLAIN_SCORE_H

#include "planner/explain.h"
#include "planner/plan.h"

/* plan_explain of PREDICT and EVALUATE */
enum status explain_scoring(const struct plan *plan, struct arena *arena, struct plan_line **lines,
                            size_t *count, struct error *err);

#endif
