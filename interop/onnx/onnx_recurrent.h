/*
 * onnx_recurrent.h - recurrent layers of a graph as operators.
 */
#ifndef INTEROP_ONNX_ONNX_RECURRENT_H
#define INTEROP_ONNX_ONNX_RECURRENT_H

#include "interop/onnx/onnx_graph.h"

/* The last has no name. */
extern const struct onnx_operation onnx_recurrent[];

#endif
