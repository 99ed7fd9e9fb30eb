/*
 * onnx_import_shapes.h - readers of shapes, and of sums along axes.
 */
#ifndef INTEROP_ONNX_IMPORT_ONNX_IMPORT_SHAPES_H
#define INTEROP_ONNX_IMPORT_ONNX_IMPORT_SHAPES_H

#include "interop/onnx/import/onnx_import_calls.h"

/* The last has no name. */
extern const struct onnx_operator onnx_shape_readers[];

#endif
