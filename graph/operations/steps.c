#include <string.h>

#include "graph/graph_columns.h"
#include "graph/graph_shape.h"
#include "graph/operations/loops.h"
#include "graph/operations/operations.h"

/*
 * steps_mean(x), steps_max(x): of (steps, width) the means, or the greatest numbers, over the steps
 * that a sequence has; 0 where it has none. positions(x): x, and a learned number for each of its
 * places.
 */

static enum status pool_shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const struct graph_shape *x = &graph_input(graph, node, 0)->shape;
    char shape[GRAPH_SHAPE_BYTES];

    if (x->rank != 2)
        return graph_fail(node, err, "it takes (steps, width), not %s", graph_shape_text(x, shape));
    node->is_sequence = false;
    node->shape = (struct graph_shape){.type = GRAPH_FLOATS, .rank = 1, .sizes = {x->sizes[1]}};
    return STATUS_OK;
}

static size_t steps_of(const struct operation_call *call)
{
    return graph_input(call->graph, call->node, 0)->shape.sizes[0];
}

static size_t count_steps(const struct operation_call *call, size_t row)
{
    size_t count = 0;

    for (size_t t = 0; t < steps_of(call); t++)
        count += graph_columns_has_step(call, 0, row, t);
    return count;
}

static void mean_forward(const struct operation_call *call)
{
    const size_t steps = steps_of(call), width = call->node->size;

    memset(call->value, 0, call->n * width * sizeof *call->value);
    for (size_t i = 0; i < call->n; i++) {
        const float share = 1 / (float)count_steps(call, i);

        for (size_t t = 0; t < steps; t++)
            if (graph_columns_has_step(call, 0, i, t))
                add_scaled(call->value + i * width, call->inputs[0] + (i * steps + t) * width,
                           share, width);
    }
}

static void mean_backward(const struct operation_call *call)
{
    const size_t steps = steps_of(call), width = call->node->size;

    for (size_t i = 0; call->deltas[0] && i < call->n; i++) {
        const float share = 1 / (float)count_steps(call, i);

        for (size_t t = 0; t < steps; t++)
            if (graph_columns_has_step(call, 0, i, t))
                add_scaled(call->deltas[0] + (i * steps + t) * width, call->delta + i * width,
                           share, width);
    }
}

/* The step that has the greatest number of a column, the first of several; `steps`: there is none.
 */
static size_t greatest_step(const struct operation_call *call, size_t row, size_t column)
{
    const size_t steps = steps_of(call), width = call->node->size;
    const float *x = call->inputs[0] + row * steps * width + column;
    size_t greatest = steps;

    for (size_t t = 0; t < steps; t++)
        if (graph_columns_has_step(call, 0, row, t) &&
            (greatest == steps || !(x[t * width] <= x[greatest * width])))
            greatest = t;
    return greatest;
}

static void max_forward(const struct operation_call *call)
{
    const size_t steps = steps_of(call), width = call->node->size;

    for (size_t i = 0; i < call->n; i++)
        for (size_t j = 0; j < width; j++) {
            const size_t t = greatest_step(call, i, j);

            call->value[i * width + j] =
                t < steps ? call->inputs[0][(i * steps + t) * width + j] : 0;
        }
}

static void max_backward(const struct operation_call *call)
{
    const size_t steps = steps_of(call), width = call->node->size;

    for (size_t i = 0; call->deltas[0] && i < call->n; i++)
        for (size_t j = 0; j < width; j++) {
            const size_t t = greatest_step(call, i, j);

            if (t < steps)
                call->deltas[0][(i * steps + t) * width + j] += call->delta[i * width + j];
        }
}

/* ---- positions ---- */

#define START_LIMIT 0.05 /* embeddings' */

static enum status positions_shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const struct graph_shape *x = &graph_input(graph, node, 0)->shape;
    const uint32_t width = graph_shape_last(x);
    struct graph_parameter *made;

    node->shape = *x;
    TRY(graph_parameter_add(graph, node, "weights", graph_shape_size(x) / width, width, &made,
                            err));
    made->start = (struct graph_start){.rule = GRAPH_START_LIMIT, .limit = START_LIMIT};
    return STATUS_OK;
}

static void positions_forward(const struct operation_call *call)
{
    const float *weights = call->parameters + call->graph->parameters[call->node->parameter].first;
    const size_t size = call->node->size;

    memcpy(call->value, call->inputs[0], call->n * size * sizeof *call->value);
    for (size_t i = 0; i < call->n; i++)
        add_to(call->value + i * size, weights, size);
}

static void positions_backward(const struct operation_call *call)
{
    float *weights = call->gradient + call->graph->parameters[call->node->parameter].first;
    const size_t size = call->node->size;

    for (size_t i = 0; i < call->n; i++)
        add_to(weights, call->delta + i * size, size);
    if (call->deltas[0])
        add_to(call->deltas[0], call->delta, call->n * size);
}

#define OF_STEPS(its_name, its_shape, its_forward, its_backward, looks_back, its_help)             \
    const struct operation its_name##_operation = {                                                \
        .name = #its_name,                                                                         \
        .help = its_help,                                                                          \
        .inputs_least = 1,                                                                         \
        .inputs_most = 1,                                                                          \
        .keeps_inputs = looks_back,                                                                \
        .shape = its_shape,                                                                        \
        .forward = its_forward,                                                                    \
        .backward = its_backward,                                                                  \
    };

OF_STEPS(steps_mean, pool_shape, mean_forward, mean_backward, false,
         "Means over the steps that are there.")
OF_STEPS(steps_max, pool_shape, max_forward, max_backward, true,
         "The greatest numbers over the steps that are there.")
OF_STEPS(positions, positions_shape, positions_forward, positions_backward, false,
         "x, and a learned number for each place.")
