#include "arithmetic/batch_norm.h"

#include <string.h>

#include "graph/graph_shape.h"
#include "graph/operations/loops.h"
#include "graph/operations/operations.h"

/*
 * batch_norm(x): over all axes but the last, mean 0 and deviation 1, times gamma, and beta (Ioffe
 * and Szegedy, 2015). While it learns, mean and variance are those of the chunk of a lane that is
 * computed, which statement and rows alone decide; the running ones, by which it predicts, are
 * parameters of the model (arithmetic/batch_norm.h).
 */

enum part { GAMMA, BETA, MEAN, VARIANCE };

static enum status shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    static const char *const parts[] = {"gamma", "beta", "mean", "variance"};
    const uint32_t width = graph_shape_last(&graph_input(graph, node, 0)->shape);
    struct graph_parameter *made;

    node->shape = graph_input(graph, node, 0)->shape;
    if (node->shape.rank == 0)
        return graph_fail(node, err, "it takes an array, not one number");
    for (enum part part = GAMMA; part <= VARIANCE; part++) {
        TRY(graph_parameter_add(graph, node, parts[part], 1, width, &made, err));
        made->is_bias = true;
        made->is_statistic = part >= MEAN;
        made->start.rule = part == GAMMA || part == VARIANCE ? GRAPH_START_ONE : GRAPH_START_ZERO;
    }
    node->scratch = 5 * width;
    node->kept = (uint32_t)graph_shape_size(&node->shape); /* the gradient on its way */
    return STATUS_OK;
}

static struct batch_norm norm_of(const struct operation_call *call)
{
    const struct graph_parameter *parts = &call->graph->parameters[call->node->parameter];

    return (struct batch_norm){.width = graph_shape_last(&call->node->shape),
                               .gamma = parts[GAMMA].first,
                               .beta = parts[BETA].first,
                               .mean = parts[MEAN].first,
                               .variance = parts[VARIANCE].first};
}

static struct batch_norm_room room_of(const struct operation_call *call, uint32_t width)
{
    return (struct batch_norm_room){.mean = call->scratch,
                                    .variance = call->scratch + width,
                                    .inverse = call->scratch + 2 * (size_t)width,
                                    .sums = call->scratch + 3 * (size_t)width};
}

/* Lines along the last axis. */
static uint32_t lines_of(const struct operation_call *call, uint32_t width)
{
    return call->n * (call->node->size / width);
}

static void forward(const struct operation_call *call)
{
    const struct batch_norm norm = norm_of(call);
    struct batch_norm_room room = room_of(call, norm.width);

    batch_norm_forward(&norm, call->parameters, lines_of(call, norm.width), call->kept != NULL,
                       call->inputs[0], &room, call->value);
}

/* The moments are computed once more: what works in scratch keeps nothing there. */
static void backward(const struct operation_call *call)
{
    const struct batch_norm norm = norm_of(call);
    const uint32_t lines = lines_of(call, norm.width);
    const size_t count = (size_t)call->n * call->node->size;
    struct batch_norm_room room = room_of(call, norm.width);

    batch_norm_measure(&norm, call->parameters, lines, true, call->inputs[0], &room);
    memcpy(call->kept, call->delta, count * sizeof *call->kept);
    batch_norm_backward(&norm, call->parameters, lines, call->share, call->inputs[0], &room, false,
                        call->kept, call->gradient);
    if (call->deltas[0])
        add_to(call->deltas[0], call->kept, count);
}

const struct operation batch_norm_operation = {
    .name = "batch_norm",
    .help = "Mean 0 and deviation 1 over rows, times gamma, and beta.",
    .inputs_least = 1,
    .inputs_most = 1,
    .keeps_inputs = true,
    .shape = shape,
    .forward = forward,
    .backward = backward,
};
