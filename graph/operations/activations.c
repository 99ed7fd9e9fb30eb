#include "graph/operations/operations.h"

/* relu(x) and its kin, number by number: scoring/activation.h. */

static enum status shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    (void)err;
    node->shape = graph_input(graph, node, 0)->shape;
    return STATUS_OK;
}

#define ACTIVATION(activation, of_it, its_help)                                                    \
    const struct operation activation##_operation = {                                              \
        .name = #activation,                                                                       \
        .help = its_help,                                                                          \
        .inputs_least = 1,                                                                         \
        .inputs_most = 1,                                                                          \
        .shape = shape,                                                                            \
    };

ACTIVATION(identity, ACTIVATION_IDENTITY, "x itself.")
ACTIVATION(relu, ACTIVATION_RELU, "x, and 0 where it is less.")
ACTIVATION(tanh, ACTIVATION_TANH, "The hyperbolic tangent.")
ACTIVATION(sigmoid, ACTIVATION_SIGMOID, "1 / (1 + e^-x).")
ACTIVATION(elu, ACTIVATION_ELU, "x, below 0 e^x - 1.")
ACTIVATION(selu, ACTIVATION_SELU, "elu times factors that keep mean and variance.")
ACTIVATION(leaky_relu, ACTIVATION_LEAKY_RELU, "x, below 0 a hundredth of it.")
ACTIVATION(gelu, ACTIVATION_GELU, "x times the share of a normal distribution below x.")
ACTIVATION(swish, ACTIVATION_SWISH, "x sigmoid(x); PyTorch's silu.")
ACTIVATION(softplus, ACTIVATION_SOFTPLUS, "log(1 + e^x).")
ACTIVATION(softsign, ACTIVATION_SOFTSIGN, "x / (1 + |x|).")
