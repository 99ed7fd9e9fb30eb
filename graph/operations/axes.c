#include <string.h>

#include "graph/graph_shape.h"
#include "graph/operations/axes.h"
#include "graph/operations/operations.h"

/*
 * sum(x, axes), mean(x, axes): of all numbers along some axes, or of all. transpose(x, axes): the
 * axes in another order. slice(x, from, to, axis): a run of places along one axis. Each is one walk
 * over two arrays (strides.h), and back the other way.
 */

#define AXIS(its_help)                                                                             \
    .type = ARGUMENT_LIST, .least = -GRAPH_RANK_MAX, .most = GRAPH_RANK_MAX - 1, .help = its_help

const struct operation_argument axes_arguments[] = {
    {.name = "axes", AXIS("Axes that are removed, such as 0 or [0, 1]; by default all.")},
    {.name = NULL},
};
static const struct operation_argument transpose_arguments[] = {
    {.name = "axes", AXIS("The axes in their new order; reversed by default.")},
    {.name = NULL},
};
static const struct operation_argument slice_arguments[] = {
    {.name = "from",
     .type = ARGUMENT_WHOLE,
     .most = GRAPH_FLOATS_MAX,
     .is_needed = true,
     .help = "The first place that stays, from 0."},
    {.name = "to",
     .type = ARGUMENT_WHOLE,
     .least = 1,
     .most = GRAPH_FLOATS_MAX,
     .is_needed = true,
     .help = "The first place behind those that stay."},
    {.name = "axis",
     .type = ARGUMENT_WHOLE,
     .least = -GRAPH_RANK_MAX,
     .most = GRAPH_RANK_MAX - 1,
     .number = -1,
     .help = "The axis; -1 is the last."},
    {.name = NULL},
};

static const struct graph_shape *shape_of_x(const struct graph *graph,
                                            const struct graph_node *node)
{
    return &graph_input(graph, node, 0)->shape;
}

uint32_t axis_of_rank(int axis, uint32_t rank)
{
    return axis < -(int)rank || axis >= (int)rank ? rank
                                                  : (uint32_t)(axis < 0 ? axis + (int)rank : axis);
}

/* Axis i of the argument, counted from the first; rank where there is none. */
static uint32_t axis_at(const struct graph_argument *axes, uint32_t i, uint32_t rank)
{
    return axis_of_rank((int)axes->list[i], rank);
}

/* The axes as bits. INVALID for one that x does not have, or has twice. */
static enum status read_axes(const struct graph *graph, const struct graph_node *node,
                             unsigned *bits, struct error *err)
{
    const struct graph_argument *axes = graph_argument(node, "axes");
    const struct graph_shape *x = shape_of_x(graph, node);
    char shape[GRAPH_SHAPE_BYTES];

    *bits = 0;
    for (uint32_t i = 0; i < axes->list_count; i++) {
        const uint32_t axis = axis_at(axes, i, x->rank);

        if (axis == x->rank || (*bits >> axis & 1))
            return graph_fail(node, err, "%s has %s axis %d", graph_shape_text(x, shape),
                              axis == x->rank ? "no" : "only one", (int)axes->list[i]);
        *bits |= 1u << axis;
    }
    return STATUS_OK;
}

/* ---- sum, mean ---- */

static bool goes_away(const struct graph *graph, const struct graph_node *node, uint32_t axis)
{
    const struct graph_argument *axes = graph_argument(node, "axes");

    for (uint32_t i = 0; i < axes->list_count; i++)
        if (axis_at(axes, i, shape_of_x(graph, node)->rank) == axis)
            return true;
    return axes->list_count == 0;
}

enum status axes_shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const struct graph_shape *x = shape_of_x(graph, node);
    unsigned bits;

    TRY(read_axes(graph, node, &bits, err));
    node->shape = (struct graph_shape){.type = GRAPH_FLOATS};
    node->is_sequence &= x->rank > 0 && !goes_away(graph, node, 0);
    for (uint32_t i = 0; i < x->rank; i++)
        if (!goes_away(graph, node, i))
            node->shape.sizes[node->shape.rank++] = x->sizes[i];
    return STATUS_OK;
}

struct strides axes_strides(const struct graph *graph, const struct graph_node *node)
{
    const struct graph_shape *x = shape_of_x(graph, node);
    struct strides strides = strides_of(x);
    size_t step = 1;

    for (uint32_t i = x->rank; i-- > 0;) {
        if (goes_away(graph, node, i))
            continue;
        strides.there[i] = step;
        step *= x->sizes[i];
    }
    return strides;
}

static float scale_of(const struct operation_call *call)
{
    return call->node->operation == &mean_operation
               ? (float)call->node->size / (float)graph_input(call->graph, call->node, 0)->size
               : 1;
}

static void sum_forward(const struct operation_call *call)
{
    const struct strides strides = axes_strides(call->graph, call->node);
    const size_t size = graph_input(call->graph, call->node, 0)->size;

    memset(call->value, 0, (size_t)call->n * call->node->size * sizeof *call->value);
    for (size_t n = 0; n < call->n; n++)
        strides_add_there(&strides, call->inputs[0] + n * size, scale_of(call),
                          call->value + n * call->node->size);
}

static void sum_backward(const struct operation_call *call)
{
    const struct strides strides = axes_strides(call->graph, call->node);
    const size_t size = graph_input(call->graph, call->node, 0)->size;

    for (size_t n = 0; call->deltas[0] && n < call->n; n++)
        strides_add_here(&strides, call->deltas[0] + n * size, scale_of(call),
                         call->delta + n * call->node->size);
}

/* ---- transpose, slice: steps in the value, and in x ---- */

static enum status transpose_shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const struct graph_argument *axes = graph_argument(node, "axes");
    const struct graph_shape *x = shape_of_x(graph, node);
    unsigned bits;
    char shape[GRAPH_SHAPE_BYTES];

    TRY(read_axes(graph, node, &bits, err));
    if (axes->list_count > 0 && axes->list_count != x->rank)
        return graph_fail(node, err, "%s has %u axes, and here are %u", graph_shape_text(x, shape),
                          x->rank, axes->list_count);
    node->is_sequence = false;
    node->shape = *x;
    for (uint32_t i = 0; i < x->rank; i++)
        node->shape.sizes[i] =
            x->sizes[axes->list_count ? axis_at(axes, i, x->rank) : x->rank - 1 - i];
    return STATUS_OK;
}

static struct strides transpose_strides(const struct operation_call *call)
{
    const struct graph_argument *axes = graph_argument(call->node, "axes");
    const struct graph_shape *x = shape_of_x(call->graph, call->node);
    const struct strides of_x = strides_of(x);
    struct strides strides = strides_of(&call->node->shape);

    for (uint32_t i = 0; i < x->rank; i++)
        strides.there[i] =
            of_x.here[axes->list_count ? axis_at(axes, i, x->rank) : x->rank - 1 - i];
    return strides;
}

static uint32_t slice_axis(const struct graph_node *node, uint32_t rank)
{
    return axis_of_rank((int)graph_argument(node, "axis")->number, rank);
}

static enum status slice_shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const struct graph_shape *x = shape_of_x(graph, node);
    const uint32_t axis = slice_axis(node, x->rank);
    const double from = graph_argument(node, "from")->number,
                 to = graph_argument(node, "to")->number;
    char shape[GRAPH_SHAPE_BYTES];

    if (axis >= x->rank)
        return graph_fail(node, err, "%s has no axis %d", graph_shape_text(x, shape),
                          (int)graph_argument(node, "axis")->number);
    if (!(from < to) || to > x->sizes[axis])
        return graph_fail(node, err, "%s has no places from %.0f to %.0f along axis %u",
                          graph_shape_text(x, shape), from, to, axis);
    node->is_sequence &= axis > 0;
    node->shape = *x;
    node->shape.sizes[axis] = (uint32_t)(to - from);
    return STATUS_OK;
}

static struct strides slice_strides(const struct operation_call *call)
{
    const struct graph_shape *x = shape_of_x(call->graph, call->node);
    const struct strides of_x = strides_of(x);
    struct strides strides = strides_of(&call->node->shape);

    memcpy(strides.there, of_x.here, sizeof strides.there);
    strides.there_first = (size_t)graph_argument(call->node, "from")->number *
                          of_x.here[slice_axis(call->node, x->rank)];
    return strides;
}

static struct strides walk_of(const struct operation_call *call)
{
    return call->node->operation == &slice_operation ? slice_strides(call)
                                                     : transpose_strides(call);
}

static void walk_forward(const struct operation_call *call)
{
    const struct strides strides = walk_of(call);
    const size_t size = graph_input(call->graph, call->node, 0)->size;

    memset(call->value, 0, (size_t)call->n * call->node->size * sizeof *call->value);
    for (size_t n = 0; n < call->n; n++)
        strides_add_here(&strides, call->value + n * call->node->size, 1,
                         call->inputs[0] + n * size);
}

static void walk_backward(const struct operation_call *call)
{
    const struct strides strides = walk_of(call);
    const size_t size = graph_input(call->graph, call->node, 0)->size;

    for (size_t n = 0; call->deltas[0] && n < call->n; n++)
        strides_add_there(&strides, call->delta + n * call->node->size, 1,
                          call->deltas[0] + n * size);
}

#define ALONG_AXES(its_name, its_arguments, its_shape, its_forward, its_backward, its_help)        \
    const struct operation its_name##_operation = {                                                \
        .name = #its_name,                                                                         \
        .help = its_help,                                                                          \
        .arguments = its_arguments,                                                                \
        .inputs_least = 1,                                                                         \
        .inputs_most = 1,                                                                          \
        .shape = its_shape,                                                                        \
        .forward = its_forward,                                                                    \
        .backward = its_backward,                                                                  \
    };

ALONG_AXES(sum, axes_arguments, axes_shape, sum_forward, sum_backward, "Sums along some axes.")
ALONG_AXES(mean, axes_arguments, axes_shape, sum_forward, sum_backward, "Means along some axes.")
ALONG_AXES(transpose, transpose_arguments, transpose_shape, walk_forward, walk_backward,
           "The axes in another order.")
ALONG_AXES(slice, slice_arguments, slice_shape, walk_forward, walk_backward,
           "A run of places along one axis.")
