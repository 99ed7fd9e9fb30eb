/*
 * onnx_read.h - the bytes of an ONNX file as messages, and its tensors as arrays.
 *
 * Files are hostile: lengths and nesting are looked at before protobuf-c reads them, memory is the
 * arena's alone, and a tensor has as many numbers as its sizes say. Data in other files is refused;
 * no path of a file is used.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "interop/onnx/onnx-ml.pb-c.h"

/* Sets of operators that are read. */
#define ONNX_READ_LEAST 13
#define ONNX_READ_MOST  21

/* Sizes of a tensor, and its numbers: those of floats and doubles, or of integers. */
struct onnx_array {
    uint32_t rank; /* 0: one number */
    uint32_t sizes[4];
    size_t count;
    const float *floats; /* (count); NULL: they are integers */
    const int64_t *integers;
};

bool onnx_begins(struct slice bytes); /* do they begin as a model of ONNX may? */
/* The model, with a graph, and its set of operators. It lives in the arena. CORRUPT, UNSUPPORTED
 * with the reason. */
enum status onnx_read(struct slice bytes, struct arena *arena, Onnx__ModelProto **model,
                      int64_t *operators, struct error *err);
enum status onnx_read_array(const Onnx__TensorProto *tensor, struct arena *arena,
                            struct onnx_array *array, struct error *err);
