/*
 * onnx_ids.h - layers that words select rows of, as operators.
 */
#pragma once

#include "interop/onnx/onnx_graph.h"

/* The last has no name. */
extern const struct onnx_operation onnx_ids[];
