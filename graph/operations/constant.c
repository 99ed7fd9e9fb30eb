#include "graph/operations/operations.h"

/* constant(value): a number beside values of the graph, as in 1 - h. Nothing of it is learned. */

static const struct operation_argument arguments[] = {
    {.name = "value",
     .type = ARGUMENT_REAL,
     .least = -1e30,
     .most = 1e30,
     .is_needed = true,
     .help = "The number."},
    {.name = NULL},
};

static enum status shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    (void)graph;
    (void)err;
    node->shape = (struct graph_shape){.type = GRAPH_FLOATS, .rank = 0};
    return STATUS_OK;
}

static void forward(const struct operation_call *call)
{
    const float value = (float)graph_argument(call->node, "value")->number;

    for (uint32_t row = 0; row < call->n; row++)
        call->value[row] = value;
}

const struct operation constant_operation = {
    .name = "constant",
    .help = "A number.",
    .arguments = arguments,
    .shape = shape,
    .forward = forward,
};
