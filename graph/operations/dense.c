#include "arithmetic/affine.h"
#include "arithmetic/kernels.h"
#include "graph/graph_columns.h"
#include "graph/graph_shape.h"
#include "graph/graph_words.h"
#include "graph/operations/operations.h"

/*
 * dense(x, words..., units): y = x W + b over the last axis of x, and the rows of the table of
 * words that the ids of the row select: those of one-hot words. The ids need no x.
 */

static const struct operation_argument arguments[] = {
    {.name = "units",
     .type = ARGUMENT_SIZE,
     .least = 1,
     .most = 65536,
     .is_needed = true,
     .help = "The number of its outputs; the argument outputs is the number that the model needs."},
    {.name = "bias",
     .type = ARGUMENT_WHOLE,
     .least = 0,
     .most = 1,
     .number = 1,
     .help = "0: none is added."},
    {.name = NULL},
};

/* The one input that is numbers; NULL: all are ids. */
static const struct graph_node *numbers_of(const struct graph *graph, const struct graph_node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++)
        if (graph_input(graph, node, i)->shape.type == GRAPH_FLOATS)
            return graph_input(graph, node, i);
    return NULL;
}

static uint32_t place_of(const struct graph *graph, const struct graph_node *node,
                         const struct graph_node *input)
{
    uint32_t at = 0;

    while (graph_input(graph, node, at) != input)
        at++;
    return at;
}

static enum status check_inputs(const struct graph *graph, const struct graph_node *node,
                                struct error *err)
{
    const struct graph_node *x = numbers_of(graph, node);
    char shape[GRAPH_SHAPE_BYTES];

    for (uint32_t i = 0; i < node->input_count; i++)
        if (graph_input(graph, node, i) != x &&
            graph_input(graph, node, i)->shape.type == GRAPH_FLOATS) {
            graph_fail(node, err, "it takes one value of numbers, here are two");
            return error_hint(err, "concat(a, b) makes one of two.");
        }
    if (x && x->shape.rank == 0)
        return graph_fail(node, err, "it takes an array, not one number");
    if (x && x->shape.rank > 1 && node->input_count > 1)
        return graph_fail(node, err, "words go with an array of one axis, not with %s",
                          graph_shape_text(&x->shape, shape));
    return STATUS_OK;
}

static enum status shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const uint32_t units = graph_argument_size(graph, node, "units");
    struct graph_parameter *made;
    double fan_in = 0;
    const struct graph_node *x;

    TRY(check_inputs(graph, node, err));
    x = numbers_of(graph, node);
    node->shape = x ? x->shape : (struct graph_shape){.type = GRAPH_FLOATS, .rank = 1};
    node->shape.sizes[node->shape.rank - 1] = units;
    for (uint32_t i = 0; i < node->input_count; i++)
        fan_in += graph_shape_last(&graph_input(graph, node, i)->shape);
    if (x) {
        TRY(graph_parameter_add(graph, node, "weights", graph_shape_last(&x->shape), units, &made,
                                err));
        made->start = (struct graph_start){GRAPH_START_FAN, fan_in, units, ACTIVATION_IDENTITY, 0};
        made->is_transposed = x->is_learned && units > 1;
    }
    if (graph_argument(node, "bias")->number > 0) {
        TRY(graph_parameter_add(graph, node, "bias", 1, units, &made, err));
        made->is_bias = true;
    }
    if (!x || node->input_count > 1) {
        graph_columns_take_table(graph, node, units);
        node->table_start =
            (struct graph_start){GRAPH_START_FAN, fan_in, units, ACTIVATION_IDENTITY, 0};
    }
    return STATUS_OK;
}

/* ---- forward, backward ---- */

static struct affine affine_of(const struct operation_call *call)
{
    const struct graph_parameter *weights = &call->graph->parameters[call->node->parameter];

    return (struct affine){
        .rows = weights->rows,
        .width = weights->width,
        .weights = weights->first,
        .bias = weights[1].first,
        .has_no_bias = call->node->parameter_count == 1,
        .transposed = weights->transposed,
    };
}

/* Rows of x, of which a row of data may have several. */
static size_t rows_of(const struct operation_call *call)
{
    return (size_t)call->n * (call->node->size / graph_shape_last(&call->node->shape));
}

/* Words alone: sums begin with the bias. */
static void fill_bias(const struct operation_call *call)
{
    const struct graph_parameter *bias = &call->graph->parameters[call->node->parameter];
    const size_t units = call->node->size;

    for (size_t i = 0; i < call->n; i++)
        for (size_t j = 0; j < units; j++)
            call->value[i * units + j] =
                call->node->parameter_count > 0 ? call->parameters[bias->first + j] : 0;
}

static void forward(const struct operation_call *call)
{
    const struct graph_node *node = call->node, *x = numbers_of(call->graph, node);
    const struct graph_column *column;

    if (x) {
        const struct affine affine = affine_of(call);

        affine_forward(&affine, call->parameters, rows_of(call),
                       call->inputs[place_of(call->graph, node, x)], call->value);
    } else {
        fill_bias(call);
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct graph_node *input = graph_input(call->graph, node, i);
        uint32_t at = 0;

        if (input != x)
            while ((column = graph_column_next(call->graph, input, &at)))
                graph_words_add(call, column, column->combiner, call->value, node->size);
    }
}

static void backward_words(const struct operation_call *call, const struct graph_node *x)
{
    const struct graph_column *column;

    for (uint32_t i = 0; i < call->node->input_count; i++) {
        const struct graph_node *input = graph_input(call->graph, call->node, i);
        uint32_t at = 0;

        if (input != x)
            while ((column = graph_column_next(call->graph, input, &at)))
                graph_words_give(call, column, column->combiner, call->delta, call->node->size);
    }
}

static void backward(const struct operation_call *call)
{
    const struct graph_node *node = call->node, *x = numbers_of(call->graph, node);
    const struct graph_parameter *bias = &call->graph->parameters[node->parameter];

    backward_words(call, x);
    if (x) {
        const struct affine affine = affine_of(call);
        const uint32_t at = place_of(call->graph, node, x);

        affine_backward(&affine, rows_of(call), call->inputs[at], call->delta, false,
                        call->gradient);
        if (call->deltas[at])
            affine_backward_inputs(&affine, call->parameters, call->transposed, rows_of(call),
                                   call->delta, !call->is_empty[at], call->deltas[at]);
    } else if (node->parameter_count > 0) {
        rows_sum(call->delta, call->n, node->size, call->gradient + bias->first);
    }
}

static double cost(const struct graph *graph, const struct graph_node *node)
{
    double multiplications = 0;

    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct graph_shape *x = &graph_input(graph, node, i)->shape;

        multiplications += (double)graph_shape_size(x) * graph_shape_last(&node->shape);
    }
    return multiplications;
}

const struct operation dense_operation = {
    .name = "dense",
    .help = "A layer of weights over the last axis, and a bias.",
    .arguments = arguments,
    .inputs_least = 1,
    .inputs_most = GRAPH_INPUTS_MAX,
    .takes_ids = true,
    .keeps_inputs = true,
    .sets_deltas = true,
    .shape = shape,
    .forward = forward,
    .backward = backward,
    .cost = cost,
};
