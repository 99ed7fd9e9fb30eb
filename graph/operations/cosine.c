#include <math.h>

#include "graph/graph_shape.h"
#include "graph/operations/operations.h"

/* cosine(a, b): of the angle between a and b along the last axis. */

#define LENGTH_LEAST 1e-8 /* PyTorch's: what has no length is as if it had this one */

static enum status shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const struct graph_shape *a = &graph_input(graph, node, 0)->shape;
    const struct graph_shape *b = &graph_input(graph, node, 1)->shape;
    char of_a[GRAPH_SHAPE_BYTES], of_b[GRAPH_SHAPE_BYTES];

    if (a->rank == 0 || !graph_shape_equal(a, b))
        return graph_fail(node, err, "it takes two arrays of one shape, not %s and %s",
                          graph_shape_text(a, of_a), graph_shape_text(b, of_b));
    node->shape = *a;
    node->shape.rank--;
    node->is_sequence &= a->rank > 1;
    return STATUS_OK;
}

struct angle {
    double length_a, length_b, cosine;
};

static struct angle angle_of(const float *a, const float *b, size_t width)
{
    struct angle angle = {0};
    double product = 0;

    for (size_t j = 0; j < width; j++) {
        product += (double)a[j] * (double)b[j];
        angle.length_a += (double)a[j] * (double)a[j];
        angle.length_b += (double)b[j] * (double)b[j];
    }
    angle.length_a = fmax(sqrt(angle.length_a), LENGTH_LEAST);
    angle.length_b = fmax(sqrt(angle.length_b), LENGTH_LEAST);
    angle.cosine = product / (angle.length_a * angle.length_b);
    return angle;
}

static size_t width_of(const struct operation_call *call)
{
    return graph_shape_last(&graph_input(call->graph, call->node, 0)->shape);
}

static void forward(const struct operation_call *call)
{
    const size_t width = width_of(call);

    for (size_t i = 0; i < (size_t)call->n * call->node->size; i++)
        call->value[i] =
            (float)angle_of(call->inputs[0] + i * width, call->inputs[1] + i * width, width).cosine;
}

/* With u and v of length 1: d cosine / du = v - cosine u, by the length. */
static void give(const struct angle *angle, double length, double other_length, const float *x,
                 const float *other, float delta, size_t width, float *dx)
{
    for (size_t j = 0; dx && j < width; j++)
        dx[j] += (float)((double)delta / length *
                         ((double)other[j] / other_length - angle->cosine * (double)x[j] / length));
}

static void backward(const struct operation_call *call)
{
    const size_t width = width_of(call);

    for (size_t i = 0; i < (size_t)call->n * call->node->size; i++) {
        const float *a = call->inputs[0] + i * width, *b = call->inputs[1] + i * width;
        const struct angle angle = angle_of(a, b, width);

        give(&angle, angle.length_a, angle.length_b, a, b, call->delta[i], width,
             call->deltas[0] ? call->deltas[0] + i * width : NULL);
        give(&angle, angle.length_b, angle.length_a, b, a, call->delta[i], width,
             call->deltas[1] ? call->deltas[1] + i * width : NULL);
    }
}

static double cost(const struct graph *graph, const struct graph_node *node)
{
    return 3 * (double)graph_input(graph, node, 0)->size;
}

const struct operation cosine_operation = {
    .name = "cosine",
    .help = "The cosine of the angle between a and b along the last axis.",
    .inputs_least = 2,
    .inputs_most = 2,
    .keeps_inputs = true,
    .shape = shape,
    .forward = forward,
    .backward = backward,
    .cost = cost,
};
