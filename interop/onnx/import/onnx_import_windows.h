/*
 * onnx_import_windows.h - readers of convolutions and pools.
 */
#ifndef INTEROP_ONNX_IMPORT_ONNX_IMPORT_WINDOWS_H
#define INTEROP_ONNX_IMPORT_ONNX_IMPORT_WINDOWS_H

#include "interop/onnx/import/onnx_import_calls.h"

/* The last has no name. */
extern const struct onnx_operator onnx_window_readers[];

#endif
