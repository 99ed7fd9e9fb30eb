/*
 * onnx_import_parts.h - readers of parts of a value along an axis.
 */
#pragma once

#include "interop/onnx/import/onnx_import_calls.h"

/* The last has no name. */
extern const struct onnx_operator onnx_part_readers[];

/* Gather of some places of a value. */
enum status onnx_give_places(struct onnx_import *import);
/* The places of a node from `from` to `to` along an axis. */
enum status onnx_call_slice(struct onnx_import *import, uint32_t of, uint32_t axis, int64_t from,
                            int64_t to, uint32_t *node);
