#include <math.h>

#include "graph/operations/operations.h"
#include "scoring/numbers/elementary.h"

/*
 * exp(x), log(x), sqrt(x), clip(x, least, most), number by number. Numbers that have no logarithm
 * take that of LEAST, and those that have no root 0.
 */

#define LEAST 1e-30f

static const struct operation_argument clip_arguments[] = {
    {.name = "least",
     .type = ARGUMENT_REAL,
     .least = -1e30,
     .most = 1e30,
     .is_needed = true,
     .help = "The number that lesser ones become."},
    {.name = "most",
     .type = ARGUMENT_REAL,
     .least = -1e30,
     .most = 1e30,
     .is_needed = true,
     .help = "The number that greater ones become."},
    {.name = NULL},
};

static enum status shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    (void)err;
    node->shape = graph_input(graph, node, 0)->shape;
    return STATUS_OK;
}

static enum status clip_shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const double least = graph_argument(node, "least")->number;
    const double most = graph_argument(node, "most")->number;

    if (!(least < most))
        return graph_fail(node, err, "no number lies from %.9g to %.9g", least, most);
    return shape(graph, node, err);
}

/* The function of one number, and its slope where it has the value y. */
typedef float of_number(const struct graph_node *node, float x);
typedef float slope_at(const struct graph_node *node, float x, float y);

static void compute(const struct operation_call *call, of_number *function)
{
    for (size_t i = 0; i < (size_t)call->n * call->node->size; i++)
        call->value[i] = function(call->node, call->inputs[0][i]);
}

static void give(const struct operation_call *call, slope_at *slope)
{
    for (size_t i = 0; call->deltas[0] && i < (size_t)call->n * call->node->size; i++)
        call->deltas[0][i] +=
            call->delta[i] * slope(call->node, call->inputs[0][i], call->value[i]);
}

static float exp_of(const struct graph_node *node, float x)
{
    (void)node;
    return exponential(x);
}

static float exp_slope(const struct graph_node *node, float x, float y)
{
    (void)node;
    return x < -87 || x > 88 ? 0 : y; /* the ends of exponential */
}

static float log_of(const struct graph_node *node, float x)
{
    (void)node;
    return isnan(x) ? x : (float)logarithm_double((double)(x > LEAST ? x : LEAST));
}

static float log_slope(const struct graph_node *node, float x, float y)
{
    (void)node;
    (void)y;
    return x > LEAST ? 1 / x : 0;
}

static float sqrt_of(const struct graph_node *node, float x)
{
    (void)node;
    return x < 0 ? 0 : sqrtf(x);
}

static float sqrt_slope(const struct graph_node *node, float x, float y)
{
    (void)node;
    (void)x;
    return y > 0 ? 0.5f / y : 0;
}

static float clip_of(const struct graph_node *node, float x)
{
    const float least = (float)node->arguments[0].number, most = (float)node->arguments[1].number;

    return x < least ? least : x > most ? most : x;
}

static float clip_slope(const struct graph_node *node, float x, float y)
{
    (void)node;
    return x == y;
}

#define FUNCTION(its_name, its_arguments, its_shape, its_help)                                     \
    static void its_name##_forward(const struct operation_call *call)                              \
    {                                                                                              \
        compute(call, its_name##_of);                                                              \
    }                                                                                              \
    static void its_name##_backward(const struct operation_call *call)                             \
    {                                                                                              \
        give(call, its_name##_slope);                                                              \
    }                                                                                              \
    const struct operation its_name##_operation = {                                                \
        .name = #its_name,                                                                         \
        .help = its_help,                                                                          \
        .arguments = its_arguments,                                                                \
        .inputs_least = 1,                                                                         \
        .inputs_most = 1,                                                                          \
        .keeps_inputs = true,                                                                      \
        .keeps_value = true,                                                                       \
        .shape = its_shape,                                                                        \
        .forward = its_name##_forward,                                                             \
        .backward = its_name##_backward,                                                           \
    };

FUNCTION(exp, NULL, shape, "e^x.")
FUNCTION(log, NULL, shape, "The natural logarithm.")
FUNCTION(sqrt, NULL, shape, "The square root.")
FUNCTION(clip, clip_arguments, clip_shape, "x, between two numbers.")
