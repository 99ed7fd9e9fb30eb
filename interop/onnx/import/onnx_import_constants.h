/*
 * onnx_import_constants.h - what a file computes from constants and from shapes.
 */
#pragma once

#include "interop/onnx/import/onnx_import_calls.h"

/* Where all of the node's inputs are arrays, and it is known how, its output becomes one.
 * UNSUPPORTED where that cannot be. */
enum status onnx_fold(struct onnx_import *import, bool *is_folded);
