/*
 * made_graph.h - graphs for tests, call by call.
 */
#pragma once

#include "graph/graph.h"

struct graph_value node_of(uint32_t node);
struct graph_value number_of(double number);
struct graph_value text_of(const char *text);
struct graph_value list_of(const double *numbers, uint32_t count);
#define LIST_OF(...)                                                                               \
    list_of((const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))
/* The same with a name before it, such as named("axis", number_of(1)). */
struct graph_value named(const char *name, struct graph_value value);

#define MADE_PLACE 5 /* the place of each call; its arguments have other ones */

/* Adds a call that goes well. */
uint32_t made_call(struct graph *graph, const char *name, const struct graph_value *values,
                   uint32_t count);
#define CALL(graph, name, ...)                                                                     \
    made_call(graph, name, (const struct graph_value[]){__VA_ARGS__},                              \
              sizeof((const struct graph_value[]){__VA_ARGS__}) / sizeof(struct graph_value))
void made_end(struct graph *graph, uint32_t output);
