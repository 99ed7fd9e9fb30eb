/*
 * onnx_layers.h - inputs, layers of numbers, norms and shapes of a graph as operators.
 */
#ifndef INTEROP_ONNX_ONNX_LAYERS_H
#define INTEROP_ONNX_ONNX_LAYERS_H

#include "interop/onnx/onnx_graph.h"

/* The last has no name. */
extern const struct onnx_operation onnx_layers[];

#endif
