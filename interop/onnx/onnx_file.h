/*
 * onnx_file.h - a graph of ONNX operators, written down as it grows, and its bytes.
 *
 * A value is a tensor's name, which no other one has. Each operator gives one or more. All of it
 * lives in an arena; where there is no memory the file has `failed` set, and its values are of no
 * use, which one look at the end finds.
 *
 * The messages are those of onnx-ml.proto, by protobuf-c.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"

/* Names of the file's own values begin so. */
#define ONNX_OWN_PREFIX "totrain:"
/* The sets of operators, and the version of the format, that a reader has to know. */
#define ONNX_OPERATORS         20
#define ONNX_LEARNED_OPERATORS 5 /* the domain ai.onnx.ml's */
#define ONNX_VERSION           10

/* Numbers of TensorProto.DataType. */
enum onnx_type {
    ONNX_FLOAT = 1,
    ONNX_UINT8 = 2,
    ONNX_INT32 = 6,
    ONNX_INT64 = 7,
    ONNX_STRING = 8,
    ONNX_BOOL = 9,
    ONNX_DOUBLE = 11
};

typedef const char *onnx_value;

struct onnx_file;
struct onnx_node;

/* NULL: no memory. */
struct onnx_file *onnx_file_new(struct arena *arena);
bool onnx_file_failed(const struct onnx_file *file);

/* ----- operators ----- */

/* An operator of `count` inputs. domain: "" or "ai.onnx.ml". */
struct onnx_node *onnx_node_new(struct onnx_file *file, const char *domain, const char *operator,
                                const onnx_value * inputs, uint32_t count);
onnx_value onnx_node_value(const struct onnx_node *node);
/* One more value that the operator gives, behind those before. */
onnx_value onnx_node_next(struct onnx_file *file, struct onnx_node *node);
/* The usual ones, of one to three inputs; those behind the last one are NULL. */
onnx_value onnx_apply(struct onnx_file *file, const char *operator, onnx_value a, onnx_value b,
                      onnx_value c);
onnx_value onnx_cast(struct onnx_file *file, onnx_value a, enum onnx_type type);

/* Attributes; what they point to is the arena's, strings are copied. */
void onnx_set_integer(struct onnx_file *file, struct onnx_node *node, const char *name,
                      int64_t value);
void onnx_set_integers(struct onnx_file *file, struct onnx_node *node, const char *name,
                       const int64_t *values, size_t count);
void onnx_set_string(struct onnx_file *file, struct onnx_node *node, const char *name,
                     struct slice value);
void onnx_set_strings(struct onnx_file *file, struct onnx_node *node, const char *name,
                      const struct slice *values, size_t count);
void onnx_set_doubles(struct onnx_file *file, struct onnx_node *node, const char *name,
                      const double *values, size_t count);
void onnx_set_bytes(struct onnx_file *file, struct onnx_node *node, const char *name,
                    const uint8_t *values, size_t count);

/* ----- constants: (rows, columns), or (columns) where rows is 0; the arena's ----- */

onnx_value onnx_doubles(struct onnx_file *file, const double *values, size_t rows, size_t columns);
onnx_value onnx_integers(struct onnx_file *file, const int64_t *values, size_t rows,
                         size_t columns);
/* Floats of any shape: `rank` sizes, up to ONNX_RANK_MAX, which are copied. */
#define ONNX_RANK_MAX 5
onnx_value onnx_floats(struct onnx_file *file, const float *values, const uint32_t *sizes,
                       uint32_t rank);
onnx_value onnx_strings(struct onnx_file *file, const struct slice *values, size_t columns);

/* ----- what a program sees ----- */

/* (N, columns). The name is copied. */
onnx_value onnx_input(struct onnx_file *file, struct slice name, enum onnx_type type,
                      size_t columns);
/* (N, columns), or (N) where columns is 0. */
void onnx_output(struct onnx_file *file, struct slice name, enum onnx_type type, size_t columns,
                 onnx_value value);
/* A pair of texts beside the graph. */
void onnx_note(struct onnx_file *file, const char *key, struct slice value);

/* Appends the bytes, the same for the same calls. graph_name: any text; text: a description. LIMIT
 * where the text is full. */
enum status onnx_file_write(const struct onnx_file *file, struct slice graph_name,
                            struct slice description, struct text *out, struct error *err);
