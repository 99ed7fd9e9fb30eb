/*
 * onnx_import_calls.h - readers of operators: tensors that are known, attributes, calls of the
 * graph.
 *
 * The rows are not always the first axis: recurrent operators have steps in front of them, and
 * attention joins them with steps or heads, (steps, rows * heads, width). A value's axes in the
 * graph are those of the file without the rows, in the file's order; `before` of them stand in
 * front of the rows, and the last of these, or the first behind the rows, may be one axis of the
 * file with them (onnx_import_axes.h).
 */
#pragma once

#include "graph/graph.h"
#include "interop/onnx/onnx_read.h"
#include "scoring/model.h"

enum onnx_held {
    ONNX_HOLDS_NOTHING,
    ONNX_HOLDS_ARRAY,
    ONNX_HOLDS_FLOATS,
    ONNX_HOLDS_IDS,
    ONNX_HOLDS_CONDITION, /* FLOATS: does it hold, where they are more than 0? */
    ONNX_HOLDS_SHARE      /* FLOATS that are x; the value is share[0] + share[1] of the share of a
                             normal distribution below x, as Erf has it: a part of gelu */
};

struct onnx_known {
    const char *name;
    enum onnx_held held;
    struct onnx_array array; /* the numbers of an ARRAY, which */
    bool is_filled;          /* has the rows as an axis of size 1 */
    /* The node of FLOATS in the graph, and the shape without the rows, in the file's order. */
    uint32_t node;
    uint32_t rank, sizes[GRAPH_RANK_MAX];
    bool is_last;                  /* the node has the channels last, the file first */
    uint32_t before;               /* axes in front of the rows */
    bool joins_outer, joins_inner; /* the last of them, the one behind: one axis with the rows */
    double share[2];
    double factor;   /* not 0: it is so many times */
    uint32_t scaled; /* this node */
    uint32_t uses;   /* how often it is an input of nodes, or an output */
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
/* Has a row more numbers than a graph takes, or none? */
bool onnx_is_too_large(const struct onnx_known *known);
/* Says what the tensor of a name is. CORRUPT where that was said before, LIMIT where it is too
 * large; added: NULL: nobody asks. */
enum status onnx_know(struct onnx_import *import, const char *name, const struct onnx_known *known,
                      struct onnx_known **added);
/* UNSUPPORTED: "node "a" (Conv, operator set 18): " and why. */
enum status onnx_refuse_node(const struct onnx_import *import, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Input i of the node; NULL: it has none. */
struct onnx_known *onnx_taken(const struct onnx_import *import, size_t i);
/* The same, which is to be floats with the rows in front, floats, or an array; UNSUPPORTED. */
enum status onnx_take_floats(const struct onnx_import *import, size_t i, struct onnx_known **taken);
enum status onnx_take_any(const struct onnx_import *import, size_t i, struct onnx_known **taken);
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
/* The same with the axes of `like`. */
enum status onnx_give_like(struct onnx_import *import, uint32_t node,
                           const struct onnx_known *like);
/* Weights of a parameter of a call; CORRUPT for numbers that are not finite. */
enum status onnx_give_weights(struct onnx_import *import, uint32_t node, uint32_t part,
                              const float *values, size_t count);
/* Floats of the arena, zeros. */
float *onnx_room(struct onnx_import *import, size_t count);
