/*
 * onnx_lookups.h - numbers from lists, and sets, by tables.
 */
#pragma once

#include "interop/onnx/onnx_walk.h"

/* Lookups of any lists. */
struct onnx_packed onnx_pack_lookups(struct onnx_walk *walk, const struct formula *const *lookups,
                                     uint32_t count);
/* The sum of lookups by the same number, each into column targets[i] of `width` ones. */
onnx_value onnx_sum_lookups(struct onnx_walk *walk, const struct formula *const *lookups,
                            const uint32_t *targets, uint32_t count, uint32_t width);
struct onnx_packed onnx_pack_sets(struct onnx_walk *walk, const struct formula *const *sets,
                                  uint32_t count);
