/*
 * onnx_layers.h - inputs, layers of numbers, norms and shapes of a graph as operators.
 */
#pragma once

#include "interop/onnx/onnx_graph.h"

/* The last has no name. */
extern const struct onnx_operation onnx_layers[];
