/*
 * onnx_import_shapes.h - readers of shapes, and of sums along axes.
 */
#pragma once

#include "interop/onnx/import/onnx_import_calls.h"

/* The last has no name. */
extern const struct onnx_operator onnx_shape_readers[];
