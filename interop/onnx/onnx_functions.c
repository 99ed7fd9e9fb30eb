/* Arithmetic, activations and other functions, number by number. */
#include "interop/onnx/onnx_functions.h"

#include "graph/graph_shape.h"

/* ----- arithmetic ----- */

/* An operand with axes of size 1 in front of its own, as many as the value has. */
static onnx_value operand(struct onnx_graph *graph, const struct graph_node *node, uint32_t i)
{
    const struct graph_shape *shape = &graph_input(graph->graph, node, i)->shape;
    uint32_t sizes[GRAPH_RANK_MAX] = {1, 1, 1, 1};
    const uint32_t rank = node->shape.rank;

    if (shape->rank == rank)
        return onnx_input_of(graph, node, i);
    for (uint32_t axis = 0; axis < shape->rank && axis < rank; axis++)
        sizes[rank - 1 - axis] = shape->sizes[shape->rank - 1 - axis];
    return onnx_shaped(graph, onnx_input_of(graph, node, i), sizes, rank);
}

#define ARITHMETIC(name, operator)                                                                 \
    static onnx_value write_##name(struct onnx_graph *graph, const struct graph_node *node)        \
    {                                                                                              \
        return onnx_step(graph, operator, operand(graph, node, 0), operand(graph, node, 1));       \
    }

ARITHMETIC(add, "Add")
ARITHMETIC(subtract, "Sub")
ARITHMETIC(multiply, "Mul")
ARITHMETIC(divide, "Div")

/* ----- activations: operators of one input ----- */

#define ACTIVATION(name, operator)                                                                 \
    static onnx_value write_##name(struct onnx_graph *graph, const struct graph_node *node)        \
    {                                                                                              \
        return onnx_step(graph, operator, onnx_input_of(graph, node, 0), NULL);                    \
    }

ACTIVATION(relu, "Relu")
ACTIVATION(tanh, "Tanh")
ACTIVATION(sigmoid, "Sigmoid")
ACTIVATION(elu, "Elu")
ACTIVATION(selu, "Selu")
ACTIVATION(leaky_relu, "LeakyRelu")
ACTIVATION(gelu, "Gelu")
ACTIVATION(softplus, "Softplus")
ACTIVATION(softsign, "Softsign")

static onnx_value write_swish(struct onnx_graph *graph, const struct graph_node *node)
{
    return onnx_step(graph, "Mul", onnx_input_of(graph, node, 0), write_sigmoid(graph, node));
}

static onnx_value write_same(struct onnx_graph *graph, const struct graph_node *node)
{
    return onnx_input_of(graph, node, 0);
}

/* ----- others, with the ends that they have in scoring (graph/operations/functions.c) ----- */

static onnx_value between(struct onnx_graph *graph, const struct graph_node *node, double least,
                          double most)
{
    const onnx_value below =
        onnx_step(graph, "Min", onnx_input_of(graph, node, 0), onnx_float(graph, (float)most));

    return onnx_step(graph, "Max", below, onnx_float(graph, (float)least));
}

static onnx_value write_clip(struct onnx_graph *graph, const struct graph_node *node)
{
    return between(graph, node, node->arguments[0].number, node->arguments[1].number);
}

static onnx_value write_exp(struct onnx_graph *graph, const struct graph_node *node)
{
    return onnx_step(graph, "Exp", between(graph, node, -87, 88), NULL);
}

static onnx_value from(struct onnx_graph *graph, const struct graph_node *node, float least)
{
    return onnx_step(graph, "Max", onnx_input_of(graph, node, 0), onnx_float(graph, least));
}

static onnx_value write_log(struct onnx_graph *graph, const struct graph_node *node)
{
    return onnx_step(graph, "Log", from(graph, node, 1e-30f), NULL);
}

static onnx_value write_sqrt(struct onnx_graph *graph, const struct graph_node *node)
{
    return onnx_step(graph, "Sqrt", from(graph, node, 0), NULL);
}

/* ----- choices ----- */

/* An input of one number has as many axes of size 1 as the value has axes. */
static onnx_value choice(struct onnx_graph *graph, const struct graph_node *node, uint32_t i)
{
    static const uint32_t ones[GRAPH_RANK_MAX] = {1, 1, 1, 1};
    const struct graph_shape *shape = &graph_input(graph->graph, node, i)->shape;

    if (graph_shape_size(shape) > 1 || shape->rank == node->shape.rank)
        return onnx_input_of(graph, node, i);
    return onnx_shaped(graph, onnx_input_of(graph, node, i), ones, node->shape.rank);
}

static onnx_value write_where(struct onnx_graph *graph, const struct graph_node *node)
{
    const onnx_value condition =
        onnx_step(graph, "Greater", choice(graph, node, 0), onnx_float(graph, 0));

    return onnx_apply(graph->walk->file, "Where", condition, choice(graph, node, 1),
                      choice(graph, node, 2));
}

const struct onnx_operation onnx_functions[] = {
    {"add", "", write_add},           {"subtract", "", write_subtract},
    {"multiply", "", write_multiply}, {"divide", "", write_divide},
    {"dropout", "rate", write_same},  {"identity", "", write_same},
    {"relu", "", write_relu},         {"tanh", "", write_tanh},
    {"sigmoid", "", write_sigmoid},   {"elu", "", write_elu},
    {"selu", "", write_selu},         {"leaky_relu", "", write_leaky_relu},
    {"gelu", "", write_gelu},         {"swish", "", write_swish},
    {"softplus", "", write_softplus}, {"softsign", "", write_softsign},
    {"exp", "", write_exp},           {"log", "", write_log},
    {"sqrt", "", write_sqrt},         {"clip", "least most", write_clip},
    {"where", "", write_where},       {.name = NULL},
};
