#include "graph/graph_shape.h"
#include "graph/operations/operations.h"

/*
 * dense_each(x, units): of (numbers) for each number a layer of its own, (numbers, units): x[i]
 * W[i]
 * + b[i]. So numbers become vectors, as embeddings make of words.
 */

static const struct operation_argument arguments[] = {
    {.name = "units",
     .type = ARGUMENT_SIZE,
     .least = 1,
     .most = 65536,
     .is_needed = true,
     .help = "How many numbers stand for each."},
    {.name = NULL},
};

static enum status shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const struct graph_shape *x = &graph_input(graph, node, 0)->shape;
    const uint32_t units = graph_argument_size(graph, node, "units");
    struct graph_parameter *made;
    char text[GRAPH_SHAPE_BYTES];

    if (x->rank != 1)
        return graph_fail(node, err, "it takes an array of one axis, not %s",
                          graph_shape_text(x, text));
    node->is_sequence = false;
    node->shape =
        (struct graph_shape){.type = GRAPH_FLOATS, .rank = 2, .sizes = {x->sizes[0], units}};
    TRY(graph_parameter_add(graph, node, "weights", x->sizes[0], units, &made, err));
    made->start = (struct graph_start){.rule = GRAPH_START_FAN, .fan_in = 1, .fan_out = units};
    TRY(graph_parameter_add(graph, node, "bias", x->sizes[0], units, &made, err));
    made->is_bias = true;
    return STATUS_OK;
}

static size_t numbers_of(const struct operation_call *call)
{
    return call->node->shape.sizes[0];
}

static void forward(const struct operation_call *call)
{
    const struct graph_parameter *weights = &call->graph->parameters[call->node->parameter];
    const size_t units = weights->width;
    float *to = call->value;

    for (size_t i = 0; i < call->n * numbers_of(call); i++)
        for (size_t j = 0; j < units; j++) {
            const size_t at = i % numbers_of(call) * units + j;

            *to++ = call->inputs[0][i] * call->parameters[weights->first + at] +
                    call->parameters[weights[1].first + at];
        }
}

static void backward(const struct operation_call *call)
{
    const struct graph_parameter *weights = &call->graph->parameters[call->node->parameter];
    const size_t units = weights->width;
    const float *delta = call->delta;

    for (size_t i = 0; i < call->n * numbers_of(call); i++, delta += units) {
        const size_t at = i % numbers_of(call) * units;
        float sum = 0;

        for (size_t j = 0; j < units; j++) {
            call->gradient[weights->first + at + j] += delta[j] * call->inputs[0][i];
            call->gradient[weights[1].first + at + j] += delta[j];
            sum += delta[j] * call->parameters[weights->first + at + j];
        }
        if (call->deltas[0])
            call->deltas[0][i] += sum;
    }
}

static double cost(const struct graph *graph, const struct graph_node *node)
{
    (void)graph;
    return node->size;
}

const struct operation dense_each_operation = {
    .name = "dense_each",
    .help = "A layer of its own for each number.",
    .arguments = arguments,
    .inputs_least = 1,
    .inputs_most = 1,
    .keeps_inputs = true,
    .shape = shape,
    .forward = forward,
    .backward = backward,
    .cost = cost,
};
