/*
 * onnx_import_recurrent.h - readers of recurrent layers.
 */
#pragma once

#include "interop/onnx/import/onnx_import_calls.h"

/* The last has no name. */
extern const struct onnx_operator onnx_recurrent_readers[];
