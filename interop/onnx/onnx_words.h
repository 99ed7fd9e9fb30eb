/*
 * onnx_words.h - the words of an input as places among those that a model knows.
 */
#pragma once

#include "interop/onnx/onnx_walk.h"

/* The place of an input's word among those of a formula that reads one. */
struct onnx_packed onnx_pack_word(struct onnx_walk *walk, const struct formula *word);
/* Words of one column's lists, FORMULA_READ_LISTED: of an input (N, words). */
struct onnx_packed onnx_pack_listed(struct onnx_walk *walk, const struct formula *const *formulas,
                                    uint32_t count);
