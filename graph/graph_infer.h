/*
 * graph_infer.h - shapes, parameters and cost of a graph, for the rows that there are.
 */
#pragma once

#include "graph/graph.h"

/*
 * Fills in all that graph_infer fills in (graph.h), of the nodes that an output depends on. Columns
 * of `row` are borrowed. INVALID where shapes do not go together, with the place of the call and
 * both shapes, for a column that the row does not have, and where the graph does not return
 * row->outputs floats.
 */
enum status graph_infer(struct graph *graph, const struct graph_row *row, struct error *err);
