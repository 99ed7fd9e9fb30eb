/*
 * onnx_import_arrays.h - arrays that are made of others, and readers of their shapes and parts.
 */
#pragma once

#include "interop/onnx/import/onnx_import_calls.h"

#define ONNX_ARRAY_MOST (1u << 20) /* numbers of an array that is computed */

/* Operators whose inputs are arrays. The last has no name. */
extern const struct onnx_operator onnx_array_readers[];

/* An array on its way: its numbers are the floats, or the integers. */
struct onnx_made {
    struct onnx_array array;
    float *floats;
    int64_t *integers;
};

/* Zeros of that shape; UNSUPPORTED for too many. */
enum status onnx_make(struct onnx_import *import, uint32_t rank, const uint32_t *sizes,
                      bool is_real, struct onnx_made *made);
void onnx_copy_at(struct onnx_made *to, size_t i, const struct onnx_array *from, size_t j);
/* The node's first output is this array. */
enum status onnx_give_array(struct onnx_import *import, const struct onnx_array *array);
/* The place in `from`, whose axes of size 1 are as long as asked for, of number i of `of`. */
size_t onnx_place_in(const struct onnx_array *from, const struct onnx_array *of, size_t i);
/* The sizes of both, axes of size 1 being as long as the other's; false: they differ. */
bool onnx_join_sizes(const struct onnx_array *a, const struct onnx_array *b, uint32_t *sizes,
                     uint32_t *rank);
