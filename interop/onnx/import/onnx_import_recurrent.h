/*
 * onnx_import_recurrent.h - readers of recurrent layers.
 */
#ifndef INTEROP_ONNX_IMPORT_ONNX_IMPORT_RECURRENT_H
#define INTEROP_ONNX_IMPORT_ONNX_IMPORT_RECURRENT_H

#include "interop/onnx/import/onnx_import_calls.h"

/* The last has no name. */
extern const struct onnx_operator onnx_recurrent_readers[];

#endif
