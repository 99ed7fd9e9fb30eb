/*
 * onnx_ids.h - layers that words select rows of, as operators.
 */
#ifndef INTEROP_ONNX_ONNX_IDS_H
#define INTEROP_ONNX_ONNX_IDS_H

#include "interop/onnx/onnx_graph.h"

/* The last has no name. */
extern const struct onnx_operation onnx_ids[];

#endif
