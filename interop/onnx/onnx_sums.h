/*
 * onnx_sums.h - sums side by side: a product with a matrix, and what is added to it.
 */
#pragma once

#include "interop/onnx/onnx_walk.h"

/* Terms of a sum that are no column times a number, tree or lookup. */
uint32_t onnx_sum_rest(const struct onnx_walk *walk, const struct formula *sum);
/* Sums with the same number of such terms. */
struct onnx_packed onnx_pack_sums(struct onnx_walk *walk, const struct formula *const *sums,
                                  uint32_t count);
