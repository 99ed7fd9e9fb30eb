/*
 * onnx_trees.h - choices within choices as operators TreeEnsemble.
 */
#pragma once

#include "interop/onnx/onnx_walk.h"

/* Choices within each other whose ends are all numbers; 0: it is something else. */
uint32_t onnx_tree_choices(const struct formula *formula);
/* (N, width): column targets[i] is the sum of its trees. */
onnx_value onnx_trees(struct onnx_walk *walk, const struct formula *const *trees,
                      const uint32_t *targets, uint32_t count, uint32_t width);
