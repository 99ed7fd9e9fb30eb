/*
 * onnx_import_shapes.h - readers of shapes, and of sizes that a file computes.
 */
#ifndef INTEROP_ONNX_ONNX_IMPORT_SHAPES_H
#define INTEROP_ONNX_ONNX_IMPORT_SHAPES_H

#include "interop/onnx/onnx_import.h"

/* The last has no name. */
extern const struct onnx_operator onnx_shape_readers[];

/* Gather of integers that a shape has. */
enum status onnx_take_places(struct onnx_import *import, const struct onnx_array *of);

#endif
