#include <math.h>

#include "graph/graph_shape.h"
#include "graph/operations/operations.h"
#include "scoring/numbers/elementary.h"

/*
 * Over the last axis: softmax(x), shares of e^x; layer_norm(x), gamma (x - mean) / deviation + beta
 * (Ba et al., 2016); l2_normalise(x), x by its length. Sums are in ascending order, in double.
 */

#define LAYER_NORM_EPSILON 1e-5 /* PyTorch's */
#define LENGTH_LEAST       1e-12

struct lines {
    size_t count, width; /* runs of numbers along the last axis, and how long each is */
};

static struct lines lines_of(const struct operation_call *call)
{
    const size_t width = graph_shape_last(&call->node->shape);

    return (struct lines){(size_t)call->n * call->node->size / width, width};
}

static enum status shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    node->shape = graph_input(graph, node, 0)->shape;
    return node->shape.rank > 0 ? STATUS_OK
                                : graph_fail(node, err, "it takes an array, not one number");
}

static double dot(const float *a, const float *b, size_t count)
{
    double sum = 0;

    for (size_t j = 0; j < count; j++)
        sum += (double)a[j] * (double)b[j];
    return sum;
}

/* ---- softmax ---- */

static void softmax_line(const float *x, size_t width, float *y)
{
    float greatest = x[0], sum = 0;

    for (size_t j = 1; j < width; j++)
        greatest = x[j] > greatest ? x[j] : greatest;
    for (size_t j = 0; j < width; j++)
        sum += y[j] = exponential(x[j] - greatest);
    for (size_t j = 0; j < width; j++)
        y[j] /= sum;
}

static void softmax_forward(const struct operation_call *call)
{
    const struct lines lines = lines_of(call);

    for (size_t i = 0; i < lines.count; i++)
        softmax_line(call->inputs[0] + i * lines.width, lines.width, call->value + i * lines.width);
}

static void softmax_backward(const struct operation_call *call)
{
    const struct lines lines = lines_of(call);

    for (size_t i = 0; call->deltas[0] && i < lines.count; i++) {
        const float *y = call->value + i * lines.width, *dy = call->delta + i * lines.width;
        const float mean = (float)dot(y, dy, lines.width);

        for (size_t j = 0; j < lines.width; j++)
            call->deltas[0][i * lines.width + j] += y[j] * (dy[j] - mean);
    }
}

/* ---- layer_norm ---- */

static enum status layer_norm_shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    struct graph_parameter *made;

    TRY(shape(graph, node, err));
    TRY(graph_parameter_add(graph, node, "gamma", 1, graph_shape_last(&node->shape), &made, err));
    made->start.rule = GRAPH_START_ONE;
    made->is_bias = true;
    TRY(graph_parameter_add(graph, node, "beta", 1, graph_shape_last(&node->shape), &made, err));
    made->is_bias = true;
    return STATUS_OK;
}

struct moments {
    double mean, inverse; /* 1 / deviation */
};

static struct moments moments_of(const float *x, size_t width)
{
    double sum = 0, squares = 0;

    for (size_t j = 0; j < width; j++)
        sum += (double)x[j];
    sum /= (double)width;
    for (size_t j = 0; j < width; j++)
        squares += ((double)x[j] - sum) * ((double)x[j] - sum);
    return (struct moments){sum, 1 / sqrt(squares / (double)width + LAYER_NORM_EPSILON)};
}

static float normal_of(float x, const struct moments *moments)
{
    return (float)(((double)x - moments->mean) * moments->inverse);
}

static void layer_norm_forward(const struct operation_call *call)
{
    const struct lines lines = lines_of(call);
    const float *gamma = call->parameters + call->graph->parameters[call->node->parameter].first;
    const float *beta = gamma + lines.width;

    for (size_t i = 0; i < lines.count; i++) {
        const float *x = call->inputs[0] + i * lines.width;
        const struct moments moments = moments_of(x, lines.width);

        for (size_t j = 0; j < lines.width; j++)
            call->value[i * lines.width + j] = gamma[j] * normal_of(x[j], &moments) + beta[j];
    }
}

/* With z the normal numbers and g = gamma dy: dx = (g - mean(g) - z mean(g z)) / deviation. */
static void layer_norm_line(const float *x, const float *dy, const float *gamma, size_t width,
                            float *dx, float *dgamma, float *dbeta)
{
    const struct moments moments = moments_of(x, width);
    double mean = 0, with_normal = 0;

    for (size_t j = 0; j < width; j++) {
        const float z = normal_of(x[j], &moments);

        mean += (double)gamma[j] * (double)dy[j] / (double)width;
        with_normal += (double)gamma[j] * (double)dy[j] * (double)z / (double)width;
        dgamma[j] += dy[j] * z;
        dbeta[j] += dy[j];
    }
    for (size_t j = 0; dx && j < width; j++)
        dx[j] += (float)(((double)gamma[j] * (double)dy[j] - mean -
                          (double)normal_of(x[j], &moments) * with_normal) *
                         moments.inverse);
}

static void layer_norm_backward(const struct operation_call *call)
{
    const struct lines lines = lines_of(call);
    const uint32_t first = call->graph->parameters[call->node->parameter].first;

    for (size_t i = 0; i < lines.count; i++) {
        const size_t at = i * lines.width;

        layer_norm_line(call->inputs[0] + at, call->delta + at, call->parameters + first,
                        lines.width, call->deltas[0] ? call->deltas[0] + at : NULL,
                        call->gradient + first, call->gradient + first + lines.width);
    }
}

/* ---- l2_normalise ---- */

static double length_of(const float *x, size_t width)
{
    const double squares = dot(x, x, width);

    return sqrt(squares > LENGTH_LEAST ? squares : LENGTH_LEAST);
}

static void length_forward(const struct operation_call *call)
{
    const struct lines lines = lines_of(call);

    for (size_t i = 0; i < lines.count; i++) {
        const float *x = call->inputs[0] + i * lines.width;
        const double length = length_of(x, lines.width);

        for (size_t j = 0; j < lines.width; j++)
            call->value[i * lines.width + j] = (float)((double)x[j] / length);
    }
}

static void length_backward(const struct operation_call *call)
{
    const struct lines lines = lines_of(call);

    for (size_t i = 0; call->deltas[0] && i < lines.count; i++) {
        const float *x = call->inputs[0] + i * lines.width, *dy = call->delta + i * lines.width;
        const float *y = call->value + i * lines.width;
        const double length = length_of(x, lines.width), along = dot(y, dy, lines.width);

        for (size_t j = 0; j < lines.width; j++)
            call->deltas[0][i * lines.width + j] +=
                (float)(((double)dy[j] - (double)y[j] * along) / length);
    }
}

const struct operation softmax_operation = {
    .name = "softmax",
    .help = "Shares of e^x along the last axis.",
    .inputs_least = 1,
    .inputs_most = 1,
    .keeps_value = true,
    .shape = shape,
    .forward = softmax_forward,
    .backward = softmax_backward,
};
const struct operation layer_norm_operation = {
    .name = "layer_norm",
    .help = "Mean 0 and deviation 1 along the last axis, times gamma, and beta.",
    .inputs_least = 1,
    .inputs_most = 1,
    .keeps_inputs = true,
    .shape = layer_norm_shape,
    .forward = layer_norm_forward,
    .backward = layer_norm_backward,
};
const struct operation l2_normalise_operation = {
    .name = "l2_normalise",
    .help = "x by its length along the last axis.",
    .inputs_least = 1,
    .inputs_most = 1,
    .keeps_inputs = true,
    .keeps_value = true,
    .shape = shape,
    .forward = length_forward,
    .backward = length_backward,
};
