/*
 * onnx_graph.h - the graph of a model of a definition as operators of ONNX: FORMULA_GRAPH.
 *
 *     columns, ids of a row --Cast--> float, int64 --a writer each operation--> outputs --Cast-->
 *
 * The graph is computed in floats, as scoring does it. The value of a node is a tensor whose first
 * axis are the N rows, and whose others are those of the node's shape: (N, height, width,
 * channels), and (N) of one number.
 */
#pragma once

#include "graph/graph.h"
#include "interop/onnx/onnx_walk.h"

/* UNSUPPORTED where the model has a graph and an operation of it has no counterpart in ONNX; the
 * message names it. Fine for models that have none. */
enum status onnx_graph_check(const struct model *model, struct error *err);
/* The outputs of the graph, (N, count). */
struct onnx_packed onnx_pack_graph(struct onnx_walk *walk, const struct formula *const *formulas,
                                   uint32_t count);

/* ----- writers of operations ----- */

struct onnx_graph {
    struct onnx_walk *walk;
    const struct graph *graph;
    const float *const *elements; /* (parameter_count) of the graph */
    onnx_value features;          /* (N, row.features), floats; NULL: there are none */
    onnx_value ids;               /* (N, row.ids), int64, -1 for none; NULL: there are none */
    onnx_value *values;           /* (node_count): of those that are floats */
};

typedef onnx_value onnx_writer(struct onnx_graph *graph, const struct graph_node *node);

struct onnx_operation {
    const char *name;
    const char *arguments; /* those that are written, a blank between; a call with others is not */
    onnx_writer *write;
};

static inline onnx_value onnx_input_of(const struct onnx_graph *graph,
                                       const struct graph_node *node, uint32_t i)
{
    return graph->values[node->inputs[i]];
}

/* Parameter i of a node: its floats as they lie. */
const float *onnx_parameter(const struct onnx_graph *graph, const struct graph_node *node,
                            uint32_t i);
/* An operator of one or two inputs. */
onnx_value onnx_step(struct onnx_graph *graph, const char *operator, onnx_value a, onnx_value b);
/* The same of one input and an attribute. */
onnx_value onnx_step_along(struct onnx_graph *graph, const char *operator, onnx_value a,
                           const char *attribute, int64_t value);
/* The axes in another order. */
onnx_value onnx_turned(struct onnx_graph *graph, onnx_value a, const int64_t *order, size_t count);
/* A list of integers, which is copied. */
onnx_value onnx_list(struct onnx_graph *graph, const int64_t *values, size_t count);
/* (N, sizes). Without sizes: (N). */
onnx_value onnx_shaped(struct onnx_graph *graph, onnx_value a, const uint32_t *sizes,
                       uint32_t rank);
/* One float, (1). */
onnx_value onnx_float(struct onnx_graph *graph, float value);
/* Parameter i of a node as a tensor of these sizes. */
onnx_value onnx_parameter_shaped(struct onnx_graph *graph, const struct graph_node *node,
                                 uint32_t i, const uint32_t *sizes, uint32_t rank);
/* An operator of two inputs that looks along axes, the second, which it keeps or not. */
onnx_value onnx_reduced(struct onnx_graph *graph, const char *operator, onnx_value a,
                        const int64_t *axes, size_t count, bool keeps);
/* Values side by side along an axis. */
onnx_value onnx_beside(struct onnx_graph *graph, const onnx_value *values, uint32_t count,
                       int64_t axis);
/* Places from `from` to `to` along an axis. */
onnx_value onnx_run_of(struct onnx_graph *graph, onnx_value a, int64_t from, int64_t to,
                       int64_t axis);
/* Some places along an axis, in any order. */
onnx_value onnx_places_of(struct onnx_graph *graph, onnx_value a, const int64_t *places,
                          size_t count, int64_t axis);
