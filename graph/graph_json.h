/*
 * graph_json.h - a graph's calls as JSON, as job specs and models keep them.
 *
 *     {"nodes": [{"operation": "numbers", "place": 3},
 *                {"operation": "dense", "inputs": [0], "units": "outputs", "place": 14}],
 *      "outputs": [1]}
 *
 * Arguments have their names, those that the call has alone; "outputs" is GRAPH_OUTPUTS. A place
 * is left out where there is none. Shapes follow (graph_infer.h), and are not stored.
 */
#pragma once

#include "base/json.h"
#include "graph/graph.h"

/* Into an object. */
void graph_write(const struct graph *graph, cJSON *object);
/* Begins the graph in the arena, with copies of all that it needs. CORRUPT for anything that
 * graph_write does not write: each call is checked as graph_call does. */
enum status graph_read(const cJSON *object, struct arena *arena, struct graph *graph,
                       struct error *err);
