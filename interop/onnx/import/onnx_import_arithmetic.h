/*
 * onnx_import_arithmetic.h - readers of what is computed number by number.
 */
#pragma once

#include "interop/onnx/import/onnx_import_calls.h"

/* The last has no name. */
extern const struct onnx_operator onnx_arithmetic_readers[];

/* The node's first output is the sum of its inputs. */
enum status onnx_give_sum(struct onnx_import *import);
/* The node becomes so many times it; nothing for 1. */
enum status onnx_times(struct onnx_import *import, uint32_t *node, double factor);
/* A call of one node without arguments. */
enum status onnx_call_one(struct onnx_import *import, const char *operation, uint32_t of,
                          uint32_t *node);
/* A call of a node and a number: multiply, add, ... */
enum status onnx_call_number(struct onnx_import *import, const char *operation, uint32_t of,
                             double number, uint32_t *node);
