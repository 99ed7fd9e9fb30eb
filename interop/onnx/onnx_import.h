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
#ifndef INTEROP_ONNX_ONNX_IMPORT_H
#define INTEROP_ONNX_ONNX_IMPORT_H

#include "graph/graph.h"
#include "interop/onnx/onnx_read.h"
#include "scoring/model.h"

/* All of the model but its digest; `model` is zero, and may have a statement. It lives in the
 * arena. CORRUPT; UNSUPPORTED names operator, node and operator set; LIMIT. */
enum status onnx_import(struct slice bytes, struct arena *arena, struct model *model,
                        struct error *err);

/* ----- for readers of operators ----- */

enum onnx_held { ONNX_HOLDS_NOTHING, ONNX_HOLDS_ARRAY, ONNX_HOLDS_FLOATS, ONNX_HOLDS_IDS };

struct onnx_known {
    const char *name;
    enum onnx_held held;
    struct onnx_array array; /* the numbers of an ARRAY */
    /* The node of FLOATS in the graph, and the shape without the rows, in the file's order. */
    uint32_t node;
    uint32_t rank, sizes[GRAPH_RANK_MAX];
    bool is_last;  /* the node has the channels last, the file first */
    uint32_t uses; /* how often it is an input of nodes, or an output */
    /* A layer's own, until something else took its value: products may still become others. NULL:
     * it is none. weights (rows, width), bias (width) */
    float *weights, *bias;
    uint32_t rows, width;
    uint32_t input; /* IDS: the number among the inputs */
};

struct onnx_import {
    struct arena *arena;
    const Onnx__GraphProto *file;
    const Onnx__NodeProto *node; /* the one that is read */
    int64_t operators;
    struct graph graph;
    struct onnx_known *known; /* (known_count) */
    uint32_t known_count, known_room;
    struct onnx_weights {
        uint32_t node, part; /* parameter of a node; part ONNX_TABLE: its columns of the words */
        const float *values; /* (count) */
        size_t count;
    } weights[GRAPH_PARAMETERS_MAX + GRAPH_NODES_MAX];
    uint32_t weight_count;
    struct transform_input *inputs; /* (input_count) */
    uint32_t input_count;
    bool has_shares; /* the last operator gave shares or a probability, */
    bool has_one;    /* one number */
    struct error *err;
};

#define ONNX_TABLE UINT32_MAX

typedef enum status onnx_reader(struct onnx_import *import);
struct onnx_operator {
    const char *name;
    onnx_reader *read;
};

/* The tensor of a name; NULL: there is none yet. */
struct onnx_known *onnx_find(const struct onnx_import *import, const char *name);
/* Says what the tensor of a name is. CORRUPT where that was said before; added: NULL: nobody asks.
 */
enum status onnx_know(struct onnx_import *import, const char *name, const struct onnx_known *known,
                      struct onnx_known **added);
/* UNSUPPORTED: "node "a" (Conv, operator set 18): " and why. */
enum status onnx_refuse_node(const struct onnx_import *import, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Input i of the node; NULL: it has none. */
struct onnx_known *onnx_taken(const struct onnx_import *import, size_t i);
/* The same, which is to be floats, or an array; UNSUPPORTED. */
enum status onnx_take_floats(const struct onnx_import *import, size_t i, struct onnx_known **taken);
enum status onnx_take_array(const struct onnx_import *import, size_t i, struct onnx_array *array);
/* Attributes, or what they are without. */
int64_t onnx_integer_of(const struct onnx_import *import, const char *name, int64_t otherwise);
double onnx_real_of(const struct onnx_import *import, const char *name, double otherwise);
/* NULL: it has none. */
const Onnx__AttributeProto *onnx_attribute(const struct onnx_import *import, const char *name);

/* The node of a value, in the file's order of axes or with the channels last. */
enum status onnx_in_order(struct onnx_import *import, struct onnx_known *value, uint32_t *node);
enum status onnx_with_last(struct onnx_import *import, struct onnx_known *value, uint32_t *node);
/* A call of the graph with arguments, which have names. */
enum status onnx_call(struct onnx_import *import, const char *operation, const uint32_t *nodes,
                      uint32_t node_count, const struct graph_value *arguments, uint32_t count,
                      uint32_t *node);
struct graph_value onnx_number_argument(const char *name, double number);
struct graph_value onnx_list_argument(const char *name, const uint32_t *items, uint32_t count);
/* The node's first output is this node of the graph, with the shape of `like` or another. */
enum status onnx_give(struct onnx_import *import, uint32_t node, uint32_t rank,
                      const uint32_t *sizes, bool is_last, struct onnx_known **given);
/* The node's first output is the value itself. */
enum status onnx_give_same(struct onnx_import *import, const struct onnx_known *value);
/* Weights of a parameter of a call. */
enum status onnx_give_weights(struct onnx_import *import, uint32_t node, uint32_t part,
                              const float *values, size_t count);
/* Floats of the arena, zeros. */
float *onnx_room(struct onnx_import *import, size_t count);

#endif
