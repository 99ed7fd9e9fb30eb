/*
 * explain_graph.h - the lines of EXPLAIN about a graph: one for each call that an output depends
 * on, and how many multiplications a row takes.
 *
 *     dense_1    dense(concat_1, units = 64) -> (64); 1088 parameters
 */
#pragma once

#include "planner/plan/explanation.h"

/* Lines at most; 0 where the plan has no graph. */
size_t explain_graph_lines(const struct plan *plan);
void explain_graph(struct explanation *explanation);
