/*
 * onnx_import_inputs.h - inputs of a file as columns of a row, and its tensors.
 */
#pragma once

#include "interop/onnx/import/onnx_import_calls.h"

/* Begins the graph: the file's constants and inputs are known then, and how often each tensor is
 * taken. */
enum status onnx_take_inputs(struct onnx_import *import);
