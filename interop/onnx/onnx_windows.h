/*
 * onnx_windows.h - convolutions and pools of a graph as operators.
 */
#ifndef INTEROP_ONNX_ONNX_WINDOWS_H
#define INTEROP_ONNX_ONNX_WINDOWS_H

#include "interop/onnx/onnx_graph.h"

/* The last has no name. */
extern const struct onnx_operation onnx_windows[];

#endif
