/*
 * onnx_import.h - a network of another program, as ONNX has it, becomes a graph of operations.
 *
 *     nodes in their order --a reader each operator--> calls of the graph, weights beside them
 *
 * A tensor (N, ...) is a value of a row: the first axis are the rows. An input of k numbers is a
 * column whose cells are lists of k numbers (COLUMN DENSE), of one number a column of numbers, of
 * one integer that selects rows of a table a category by its id. The file does not say what it
 * learned: with a last Softmax, a last Sigmoid of one number or several outputs it tells classes
 * apart, the integers from 0 up; with one output it predicts a number. The last Softmax, LogSoftmax
 * or Sigmoid is left out, as a model's outputs are before it.
 *
 * PyTorch has channels behind the rows, and graphs have them last: a value keeps the order that it
 * came in, until an operator looks at it that wants the other.
 */
#pragma once

#include "interop/onnx/onnx_read.h"
#include "scoring/model.h"

/* All of the model but its digest; `model` is zero, and may have a statement. It lives in the
 * arena. CORRUPT; UNSUPPORTED names operator, node and operator set; LIMIT. */
enum status onnx_import(struct slice bytes, struct arena *arena, struct model *model,
                        struct error *err);
