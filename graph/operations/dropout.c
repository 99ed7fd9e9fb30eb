#include <string.h>

#include "arithmetic/dropout.h"
#include "graph/graph_shape.h"
#include "graph/operations/loops.h"
#include "graph/operations/operations.h"

/* dropout(x, rate): in training each number is 0 with that probability, and the others are larger.
 */

static const struct operation_argument arguments[] = {
    {.name = "rate",
     .type = ARGUMENT_REAL,
     .least = 0,
     .most = 0.99,
     .is_needed = true,
     .help = "Share of the numbers that are 0 in a step."},
    {.name = NULL},
};

static enum status shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    (void)err;
    node->shape = graph_input(graph, node, 0)->shape;
    node->kept = (uint32_t)graph_shape_size(&node->shape);
    return STATUS_OK;
}

/* Numbers of the graph's dropouts tell their random numbers apart. */
static uint32_t dropouts_of(const struct graph *graph)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < graph->node_count; i++)
        count += graph->nodes[i].operation == &dropout_operation;
    return count;
}

static void forward(const struct operation_call *call)
{
    const struct graph_node *node = call->node;
    const struct dropout dropout = {graph_argument(node, "rate")->number, call->seed,
                                    dropouts_of(call->graph)};
    const struct dropout_place place = {call->step, call->position, node->number - 1, node->size};

    if (call->value != call->inputs[0])
        memcpy(call->value, call->inputs[0], (size_t)call->n * node->size * sizeof *call->value);
    if (call->kept && dropout.rate > 0)
        dropout_forward(&dropout, &place, call->n, call->kept, call->value);
}

static void backward(const struct operation_call *call)
{
    const size_t count = (size_t)call->n * call->node->size;
    const bool drops = graph_argument(call->node, "rate")->number > 0;
    float *delta = call->deltas[0];

    if (!delta)
        return;
    if (!drops && delta != call->delta)
        add_to(delta, call->delta, count);
    else if (drops && delta == call->delta)
        multiply_by(delta, call->kept, count);
    else if (drops)
        add_products(delta, call->delta, call->kept, count);
}

const struct operation dropout_operation = {
    .name = "dropout",
    .help = "Leaves out numbers at random while it learns.",
    .arguments = arguments,
    .inputs_least = 1,
    .inputs_most = 1,
    .is_in_place = true,
    .shape = shape,
    .forward = forward,
    .backward = backward,
};
