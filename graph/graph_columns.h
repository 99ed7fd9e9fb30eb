/*
 * graph_columns.h - the columns of a row that an input of a graph takes, and the columns of the
 * table of words that are a node's.
 */
#pragma once

#include "graph/operation.h"

/* Is that the column's name, or the one of its source? */
bool graph_column_is(const struct graph_column *column, struct slice name);
/* Does the input, a node without inputs, take this column, whose values it has of that type? */
bool graph_column_is_of(const struct graph *graph, const struct graph_node *input,
                        const struct graph_column *column);
/* The next column that it takes, from number *at on; NULL: there are no more. */
const struct graph_column *graph_column_next(const struct graph *graph,
                                             const struct graph_node *input, uint32_t *at);

/* Has a row of the chunk that step of the sequence which the node's steps are of? A node whose
 * steps are of none has all. */
bool graph_columns_has_step(const struct operation_call *call, uint32_t input, size_t row,
                            size_t step);

/* Gives the node so many columns of the table of words, beside those of the nodes before it whose
 * ids are of the same columns of a row. */
void graph_columns_take_table(const struct graph *graph, struct graph_node *node, uint32_t width);
/* Floats of a row of the table. */
uint32_t graph_columns_table_width(const struct graph *graph);
