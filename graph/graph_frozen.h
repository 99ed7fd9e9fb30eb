/*
 * graph_frozen.h - parameters of a graph that learning leaves as they are: train.freeze.
 *
 *     'conv2d*, dense_1, dense_2/bias'    names of calls or of parameters; * stands for any letters
 *
 * The calls' numbers are those that EXPLAIN shows. All words have one table, which is frozen where
 * each call that has columns of it is named, or words/table.
 */
#pragma once

#include "graph/graph.h"

#define GRAPH_FROZEN_BYTES_MAX 4096 /* bytes of such a list */

/* frozen (GRAPH_PARAMETERS_MAX): is the parameter one of those named? The graph is inferred.
 * INVALID for a name that nothing has, where a part of the table is named, and where nothing is
 * left to learn; no position. */
enum status graph_find_frozen(const struct graph *graph, struct slice names, bool *frozen,
                              struct error *err);
