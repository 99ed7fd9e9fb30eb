/*
 * onnx_functions.h - arithmetic, activations and other functions of a graph as operators.
 */
#ifndef INTEROP_ONNX_ONNX_FUNCTIONS_H
#define INTEROP_ONNX_ONNX_FUNCTIONS_H

#include "interop/onnx/onnx_graph.h"

/* The last has no name. */
extern const struct onnx_operation onnx_functions[];

#endif
