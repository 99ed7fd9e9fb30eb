#include <math.h>
#include <string.h>

#include "graph/operations/axes.h"
#include "graph/operations/operations.h"

/*
 * max(x, axes): the greatest number along some axes, or of all; its gradient goes to the first of
 * the greatest.
 */

/* One number of x, and the place in the value of those that it is among. */
static void take(void *self, size_t here, size_t there)
{
    const struct operation_call *call = self;

    if (!(call->inputs[0][here] <= call->value[there]))
        call->value[there] = call->inputs[0][here];
}

static void each(const struct operation_call *call,
                 void (*visit)(void *self, size_t here, size_t there))
{
    const struct strides strides = axes_strides(call->graph, call->node);
    const size_t size = graph_input(call->graph, call->node, 0)->size;
    struct operation_call of_row = *call;

    for (size_t n = 0; n < call->n; n++) {
        of_row.inputs[0] = call->inputs[0] + n * size;
        of_row.value = call->value + n * call->node->size;
        of_row.delta = call->deltas[0] ? call->delta + n * call->node->size : NULL;
        of_row.deltas[0] = call->deltas[0] ? call->deltas[0] + n * size : NULL;
        memset(call->scratch, 0, call->node->size * sizeof *call->scratch);
        strides_each(&strides, visit, &of_row);
    }
}

static void forward(const struct operation_call *call)
{
    for (size_t i = 0; i < (size_t)call->n * call->node->size; i++)
        call->value[i] = -INFINITY;
    each(call, take);
}

/* scratch: 1 where one of the greatest was met. */
static void give(void *self, size_t here, size_t there)
{
    const struct operation_call *call = self;

    if (call->inputs[0][here] < call->value[there] || call->scratch[there] > 0)
        return;
    call->scratch[there] = 1;
    call->deltas[0][here] += call->delta[there];
}

static void backward(const struct operation_call *call)
{
    if (call->deltas[0])
        each(call, give);
}

static enum status shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    TRY(axes_shape(graph, node, err));
    node->scratch = 1;
    for (uint32_t i = 0; i < node->shape.rank; i++)
        node->scratch *= node->shape.sizes[i];
    return STATUS_OK;
}

const struct operation max_operation = {
    .name = "max",
    .help = "The greatest numbers along some axes.",
    .arguments = axes_arguments,
    .inputs_least = 1,
    .inputs_most = 1,
    .keeps_inputs = true,
    .keeps_value = true,
    .shape = shape,
    .forward = forward,
    .backward = backward,
};
