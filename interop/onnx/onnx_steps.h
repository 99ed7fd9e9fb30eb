/*
 * onnx_steps.h - what a graph computes over steps, of which a row may lack some, as operators.
 */
#pragma once

#include "interop/onnx/onnx_graph.h"

/* The last has no name. */
extern const struct onnx_operation onnx_steps[];

/* (N, steps): 1 where the row has the step of input i of the node, else 0. NULL: all are there. */
onnx_value onnx_steps_there(struct onnx_graph *graph, const struct graph_node *node, uint32_t i);
