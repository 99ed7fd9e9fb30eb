#include "graph/graph_shape.h"
#include "graph/operations/operations.h"

/*
 * where(condition, a, b): number by number a where the condition is more than 0, else b. Shapes are
 * alike; one number goes with any.
 */

static enum status shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const struct graph_shape *largest = &graph_input(graph, node, 0)->shape;
    char a[GRAPH_SHAPE_BYTES], b[GRAPH_SHAPE_BYTES];

    for (uint32_t i = 1; i < 3; i++) {
        const struct graph_shape *next = &graph_input(graph, node, i)->shape;

        if (graph_shape_size(next) > graph_shape_size(largest))
            largest = next;
    }
    for (uint32_t i = 0; i < 3; i++) {
        const struct graph_shape *next = &graph_input(graph, node, i)->shape;

        if (graph_shape_size(next) != 1 && !graph_shape_equal(next, largest))
            return graph_fail(node, err, "the shapes %s and %s do not go together",
                              graph_shape_text(largest, a), graph_shape_text(next, b));
    }
    node->shape = *largest;
    return STATUS_OK;
}

/* The place in input j of the number that is for number i of the value. */
static size_t place_in(const struct operation_call *call, uint32_t j, size_t i)
{
    return graph_input(call->graph, call->node, j)->size == call->node->size ? i
                                                                             : i / call->node->size;
}

static uint32_t chosen(const struct operation_call *call, size_t i)
{
    return call->inputs[0][place_in(call, 0, i)] > 0 ? 1 : 2;
}

static void forward(const struct operation_call *call)
{
    for (size_t i = 0; i < (size_t)call->n * call->node->size; i++) {
        const uint32_t j = chosen(call, i);

        call->value[i] = call->inputs[j][place_in(call, j, i)];
    }
}

static void backward(const struct operation_call *call)
{
    for (size_t i = 0; i < (size_t)call->n * call->node->size; i++) {
        const uint32_t j = chosen(call, i);

        if (call->deltas[j])
            call->deltas[j][place_in(call, j, i)] += call->delta[i];
    }
}

const struct operation where_operation = {
    .name = "where",
    .help = "a where the condition is more than 0, else b.",
    .inputs_least = 3,
    .inputs_most = 3,
    .keeps_inputs = true,
    .shape = shape,
    .forward = forward,
    .backward = backward,
};
