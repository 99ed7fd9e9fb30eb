/*
 * onnx_import_windows.h - readers of convolutions and pools.
 */
#pragma once

#include "interop/onnx/import/onnx_import_calls.h"

/* The last has no name. */
extern const struct onnx_operator onnx_window_readers[];
