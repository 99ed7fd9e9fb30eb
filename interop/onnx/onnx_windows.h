/*
 * onnx_windows.h - convolutions and pools of a graph as operators.
 */
#pragma once

#include "interop/onnx/onnx_graph.h"

/* The last has no name. */
extern const struct onnx_operation onnx_windows[];
