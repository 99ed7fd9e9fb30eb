/*
 * onnx_import_operands.h - inputs of a node that go together number by number.
 */
#pragma once

#include "interop/onnx/import/onnx_import_calls.h"

#define ONNX_OPERANDS_MAX 3

/* Nodes of inputs 0 to count - 1 of one shape, axes of size 1 being as long as those of others, and
 * that shape. Arrays of one number are constants. One of them at least is floats, or a condition.
 */
enum status onnx_take_operands(struct onnx_import *import, uint32_t count, uint32_t *nodes,
                               struct onnx_known *like);
/* A node of the shape of another one that has these numbers, (count), infinite ones being far. */
enum status onnx_make_constant(struct onnx_import *import, uint32_t like, const float *numbers,
                               size_t count, uint32_t *node);
