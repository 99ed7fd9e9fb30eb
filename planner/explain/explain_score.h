/*
 * explain_score.h - plan_explain of PREDICT and EVALUATE.
 */
#pragma once

#include "planner/explain/explain.h"
#include "planner/plan/plan.h"

/* plan_explain of PREDICT and EVALUATE */
enum status explain_scoring(const struct plan *plan, struct arena *arena, struct plan_line **lines,
                            size_t *count, struct error *err);
