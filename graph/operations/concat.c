#include <string.h>

#include "graph/graph_shape.h"
#include "graph/operations/loops.h"
#include "graph/operations/operations.h"

/* concat(a, b, ..., axis): values side by side; all other axes are alike. */

static const struct operation_argument arguments[] = {
    {.name = "axis",
     .type = ARGUMENT_WHOLE,
     .least = -GRAPH_RANK_MAX,
     .most = GRAPH_RANK_MAX - 1,
     .number = -1,
     .help = "Axis along which values lie side by side; -1 is the last."},
    {.name = NULL},
};

static uint32_t axis_of(const struct graph_node *node, uint32_t rank)
{
    const int axis = (int)graph_argument(node, "axis")->number;

    return (uint32_t)(axis < 0 ? axis + (int)rank : axis);
}

/* An array of one axis, where a value is one number. */
static struct graph_shape array_of(const struct graph_shape *shape)
{
    return shape->rank > 0 ? *shape : (struct graph_shape){.rank = 1, .sizes = {1}};
}

static enum status shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const struct graph_shape first = array_of(&graph_input(graph, node, 0)->shape);
    const uint32_t axis = axis_of(node, first.rank);
    char a[GRAPH_SHAPE_BYTES], b[GRAPH_SHAPE_BYTES];

    node->shape = first;
    if (axis >= first.rank)
        return graph_fail(node, err, "%s has no axis %d", graph_shape_text(&first, a),
                          (int)graph_argument(node, "axis")->number);
    for (uint32_t i = 1; i < node->input_count; i++) {
        const struct graph_shape next = array_of(&graph_input(graph, node, i)->shape);
        struct graph_shape like = next;

        like.sizes[axis] = first.sizes[axis];
        if (!graph_shape_equal(&like, &first))
            return graph_fail(node, err, "%s and %s do not lie side by side along axis %u",
                              graph_shape_text(&first, a), graph_shape_text(&next, b), axis);
        if (next.sizes[axis] > GRAPH_FLOATS_MAX)
            return graph_fail(node, err, "%s is too large", graph_shape_text(&next, b));
        node->shape.sizes[axis] += next.sizes[axis];
    }
    node->is_sequence &= axis > 0;
    return STATUS_OK;
}

/* A value is `outer` blocks; those of input i lie beside each other in those of the node. */
static size_t outer_of(const struct operation_call *call)
{
    const struct graph_shape shape = array_of(&graph_input(call->graph, call->node, 0)->shape);
    size_t outer = call->n;

    for (uint32_t i = 0; i < axis_of(call->node, shape.rank); i++)
        outer *= shape.sizes[i];
    return outer;
}

static void forward(const struct operation_call *call)
{
    const size_t outer = outer_of(call), width = (size_t)call->n * call->node->size / outer;
    float *to = call->value;

    for (uint32_t i = 0; i < call->node->input_count; i++) {
        const size_t block =
            (size_t)call->n * graph_input(call->graph, call->node, i)->size / outer;

        for (size_t k = 0; k < outer; k++)
            memcpy(to + k * width, call->inputs[i] + k * block, block * sizeof *to);
        to += block;
    }
}

static void backward(const struct operation_call *call)
{
    const size_t outer = outer_of(call), width = (size_t)call->n * call->node->size / outer;
    const float *from = call->delta;

    for (uint32_t i = 0; i < call->node->input_count; i++) {
        const size_t block =
            (size_t)call->n * graph_input(call->graph, call->node, i)->size / outer;

        for (size_t k = 0; call->deltas[i] && k < outer; k++)
            add_to(call->deltas[i] + k * block, from + k * width, block);
        from += block;
    }
}

const struct operation concat_operation = {
    .name = "concat",
    .help = "Values side by side.",
    .arguments = arguments,
    .inputs_least = 1,
    .inputs_most = GRAPH_INPUTS_MAX,
    .shape = shape,
    .forward = forward,
    .backward = backward,
};
