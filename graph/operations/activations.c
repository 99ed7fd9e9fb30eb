#include <string.h>

#include "arithmetic/kernels.h"
#include "graph/operations/loops.h"
#include "graph/operations/operations.h"
#include "scoring/numbers/activation.h"

/* relu(x) and its kin, number by number: scoring/numbers/activation.h. */

static enum status shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    (void)err;
    node->shape = graph_input(graph, node, 0)->shape;
    return STATUS_OK;
}

/* An activation whose slope its value does not tell looks at what it took (kernels.h). */

static void activate(const struct operation_call *call, enum activation activation)
{
    const size_t count = (size_t)call->n * call->node->size;

    if (call->value != call->inputs[0])
        memcpy(call->value, call->inputs[0], count * sizeof *call->value);
    activation_forward(activation, call->value, count);
}

#define BLOCK 256 /* floats whose gradient is computed at a time, where it is added to another */

static void go_back(const struct operation_call *call, enum activation activation)
{
    const size_t count = (size_t)call->n * call->node->size;
    const float *at = activation_keeps_sums(activation) ? call->inputs[0] : call->value;
    float block[BLOCK];

    if (call->deltas[0] == call->delta) {
        activation_backward(activation, at, call->deltas[0], count);
        return;
    }
    for (size_t i = 0; call->deltas[0] && i < count; i += BLOCK) {
        const size_t size = count - i < BLOCK ? count - i : BLOCK;

        memcpy(block, call->delta + i, size * sizeof *block);
        activation_backward(activation, at + i, block, size);
        add_to(call->deltas[0] + i, block, size);
    }
}

#define ACTIVATION(its_name, activation, looks_at_input, its_help)                                 \
    static void its_name##_forward(const struct operation_call *call)                              \
    {                                                                                              \
        activate(call, activation);                                                                \
    }                                                                                              \
    static void its_name##_backward(const struct operation_call *call)                             \
    {                                                                                              \
        go_back(call, activation);                                                                 \
    }                                                                                              \
    const struct operation its_name##_operation = {                                                \
        .name = #its_name,                                                                         \
        .help = its_help,                                                                          \
        .inputs_least = 1,                                                                         \
        .inputs_most = 1,                                                                          \
        .keeps_inputs = looks_at_input,                                                            \
        .keeps_value = !looks_at_input,                                                            \
        .is_in_place = true,                                                                       \
        .shape = shape,                                                                            \
        .forward = its_name##_forward,                                                             \
        .backward = its_name##_backward,                                                           \
    };

ACTIVATION(identity, ACTIVATION_IDENTITY, false, "x itself.")
ACTIVATION(relu, ACTIVATION_RELU, false, "x, and 0 where it is less.")
ACTIVATION(tanh, ACTIVATION_TANH, false, "The hyperbolic tangent.")
ACTIVATION(sigmoid, ACTIVATION_SIGMOID, false, "1 / (1 + e^-x).")
ACTIVATION(elu, ACTIVATION_ELU, false, "x, below 0 e^x - 1.")
ACTIVATION(selu, ACTIVATION_SELU, false, "elu times factors that keep mean and variance.")
ACTIVATION(leaky_relu, ACTIVATION_LEAKY_RELU, false, "x, below 0 a hundredth of it.")
ACTIVATION(gelu, ACTIVATION_GELU, true, "x times the share of a normal distribution below x.")
ACTIVATION(swish, ACTIVATION_SWISH, true, "x sigmoid(x); PyTorch's silu.")
ACTIVATION(softplus, ACTIVATION_SOFTPLUS, false, "log(1 + e^x).")
ACTIVATION(softsign, ACTIVATION_SOFTSIGN, false, "x / (1 + |x|).")
