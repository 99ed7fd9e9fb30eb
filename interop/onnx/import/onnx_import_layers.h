/*
 * onnx_import_layers.h - readers of layers, arithmetic, activations and norms.
 */
#pragma once

#include "interop/onnx/import/onnx_import_calls.h"

/* The last has no name. */
extern const struct onnx_operator onnx_layer_readers[];
