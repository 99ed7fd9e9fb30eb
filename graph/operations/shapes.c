#include <string.h>

#include "graph/graph_shape.h"
#include "graph/operations/loops.h"
#include "graph/operations/operations.h"

/* reshape(x, [4, 8]) and flatten(x): the same numbers under another shape. */

static const struct operation_argument reshape_arguments[] = {
    {.name = "shape",
     .type = ARGUMENT_LIST,
     .least = 1,
     .most = GRAPH_FLOATS_MAX,
     .is_needed = true,
     .help = "Sizes of the axes, such as [8, 8, 1]."},
    {.name = NULL},
};

static enum status reshape_shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const struct graph_argument *sizes = graph_argument(node, "shape");
    const struct graph_shape *before = &graph_input(graph, node, 0)->shape;
    char a[GRAPH_SHAPE_BYTES], b[GRAPH_SHAPE_BYTES];

    if (sizes->list_count > GRAPH_RANK_MAX)
        return graph_fail(node, err, "a shape has at most %d axes", GRAPH_RANK_MAX);
    node->is_sequence = false;
    node->shape = (struct graph_shape){.type = GRAPH_FLOATS, .rank = sizes->list_count};
    for (uint32_t i = 0; i < sizes->list_count; i++)
        node->shape.sizes[i] = (uint32_t)sizes->list[i];
    if (graph_shape_size(&node->shape) == graph_shape_size(before))
        return STATUS_OK;
    return graph_fail(node, err, "%s cannot become %s: it has %llu numbers, and not %llu",
                      graph_shape_text(before, a), graph_shape_text(&node->shape, b),
                      (unsigned long long)graph_shape_size(before),
                      (unsigned long long)graph_shape_size(&node->shape));
}

static enum status flatten_shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    (void)err;
    node->is_sequence = false;
    node->shape = (struct graph_shape){
        .type = GRAPH_FLOATS,
        .rank = 1,
        .sizes = {(uint32_t)graph_shape_size(&graph_input(graph, node, 0)->shape)}};
    return STATUS_OK;
}

static void forward(const struct operation_call *call)
{
    if (call->value != call->inputs[0])
        memcpy(call->value, call->inputs[0],
               (size_t)call->n * call->node->size * sizeof *call->value);
}

static void backward(const struct operation_call *call)
{
    if (call->deltas[0] && call->deltas[0] != call->delta)
        add_to(call->deltas[0], call->delta, (size_t)call->n * call->node->size);
}

const struct operation reshape_operation = {
    .name = "reshape",
    .help = "The same numbers under another shape.",
    .arguments = reshape_arguments,
    .inputs_least = 1,
    .inputs_most = 1,
    .is_in_place = true,
    .shape = reshape_shape,
    .forward = forward,
    .backward = backward,
};
const struct operation flatten_operation = {
    .name = "flatten",
    .help = "All numbers in one axis.",
    .inputs_least = 1,
    .inputs_most = 1,
    .is_in_place = true,
    .shape = flatten_shape,
    .forward = forward,
    .backward = backward,
};
