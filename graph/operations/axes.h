/*
 * axes.h - axes that go away, as those of sum, mean and max.
 */
#pragma once

#include "graph/operation.h"
#include "graph/operations/strides.h"

extern const struct operation_argument axes_arguments[]; /* axes alone */

/* The shape without the axes that go away; its `shape` (operation.h). */
enum status axes_shape(struct graph *graph, struct graph_node *node, struct error *err);
/* Steps in x, and in the value, which those along an axis that goes away do not move. */
struct strides axes_strides(const struct graph *graph, const struct graph_node *node);
/* An axis that counts from the last, if it is below 0; the rank, where there is no such axis. */
uint32_t axis_of_rank(int axis, uint32_t rank);
