/*
 * onnx_import_layers.h - readers of layers, arithmetic, activations and norms.
 */
#ifndef INTEROP_ONNX_IMPORT_ONNX_IMPORT_LAYERS_H
#define INTEROP_ONNX_IMPORT_ONNX_IMPORT_LAYERS_H

#include "interop/onnx/import/onnx_import_calls.h"

/* The last has no name. */
extern const struct onnx_operator onnx_layer_readers[];

#endif
