/*
 * graph_print.h - a graph for people, a line a node.
 *
 *     dense_1    dense(concat_1, units = 64)    (64)    1088 parameters
 */
#pragma once

#include "graph/graph.h"

/* Appends the name of a node: its operation, and its number among the calls of that. */
void graph_node_print_name(const struct graph_node *node, struct text *out);
/* Appends the call: nodes by their names, and the arguments that were given. */
void graph_node_print_call(const struct graph *graph, const struct graph_node *node,
                           struct text *out);

/* Parameters of an inferred node, those of its columns of the table of words included. */
uint64_t graph_node_parameters(const struct graph *graph, const struct graph_node *node);

/* The statement that defines a model of the same calls: DEFINE MODEL name AS '...'. */
void graph_print_definition(const struct graph *graph, const char *name, struct text *out);
