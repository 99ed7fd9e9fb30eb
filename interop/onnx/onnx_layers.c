/* Inputs, layers, arithmetic, activations, norms and shapes. */
#include "interop/onnx/onnx_layers.h"

#include "graph/graph_columns.h"
#include "graph/graph_shape.h"

/* ----- inputs ----- */

static onnx_value take_features(struct onnx_graph *graph, const int64_t *places, uint32_t count)
{
    onnx_value values[2] = {graph->features, onnx_list(graph, places, count)};
    struct onnx_node *node = onnx_node_new(graph->walk->file, "", "Gather", values, 2);

    onnx_set_integer(graph->walk->file, node, "axis", 1);
    return onnx_node_value(node);
}

static onnx_value write_columns(struct onnx_graph *graph, const struct graph_node *node)
{
    int64_t *places = ONNX_NEW(graph->walk, int64_t, node->size);
    const struct graph_column *column;
    uint32_t at = 0, count = 0;

    while (places && (column = graph_column_next(graph->graph, node, &at)))
        for (uint32_t i = 0; i < column->dense_count; i++)
            places[count++] = column->dense + i;
    return places ? take_features(graph, places, count) : "";
}

/* The number of each step, without what tells that it is there. */
static onnx_value write_sequence(struct onnx_graph *graph, const struct graph_node *node)
{
    const struct graph_column *columns = graph->graph->row.columns + node->first_column;
    int64_t *places = ONNX_NEW(graph->walk, int64_t, node->size);

    for (uint32_t i = 0; places && i < node->size; i++)
        places[i] = columns[i].dense;
    return places ? onnx_shaped(graph, take_features(graph, places, node->size), node->shape.sizes,
                                node->shape.rank)
                  : "";
}

static onnx_value write_constant(struct onnx_graph *graph, const struct graph_node *node)
{
    const onnx_value number = onnx_float(graph, (float)node->arguments[0].number);

    return onnx_shaped(graph, onnx_step(graph, "Expand", number, graph->walk->rows), NULL, 0);
}

/* ----- words ----- */

/* (N, table_columns): the node's columns of the table of words in the rows that ids of a column
 * select. The id -1 selects the last row, which is of zeros. */
static onnx_value take_words(struct onnx_graph *graph, const struct graph_node *node,
                             const struct graph_column *column)
{
    const uint32_t width = node->table_columns, all = graph->graph->table_width;
    const uint32_t sizes[] = {column->rows + 1, width};
    float *table = ONNX_NEW(graph->walk, float, (size_t)sizes[0] * width);
    const float *words;

    if (!table)
        return "";
    words = graph->graph->table == GRAPH_NONE ? NULL : graph->elements[graph->graph->table];
    for (uint32_t i = 0; words && i < column->rows; i++)
        memcpy(table + (size_t)i * width,
               words + (size_t)(column->first_row + i) * all + node->table_column,
               width * sizeof *table);
    return onnx_step(graph, "Gather", onnx_floats(graph->walk->file, table, sizes, 2),
                     graph->ids[column->ids]);
}

static onnx_value write_embedding(struct onnx_graph *graph, const struct graph_node *node)
{
    const struct graph_node *ids = graph_input(graph->graph, node, 0);
    onnx_value *values = ONNX_NEW(graph->walk, onnx_value, ids->shape.sizes[0]);
    const struct graph_column *column;
    uint32_t at = 0, count = 0;
    struct onnx_node *made;

    while (values && (column = graph_column_next(graph->graph, ids, &at)))
        values[count++] = take_words(graph, node, column);
    if (!values || count == 1)
        return values ? values[0] : "";
    made = onnx_node_new(graph->walk->file, "", "Concat", values, count);
    onnx_set_integer(graph->walk->file, made, "axis", 1);
    return onnx_shaped(graph, onnx_node_value(made), node->shape.sizes, node->shape.rank);
}

/* The weights of x, of all the words, and the bias. */
static onnx_value write_dense(struct onnx_graph *graph, const struct graph_node *node)
{
    const uint32_t units = graph_shape_last(&node->shape);
    onnx_value sum = NULL;
    const struct graph_column *column;
    uint32_t parameter = 0;

    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct graph_node *input = graph_input(graph->graph, node, i);
        const uint32_t sizes[] = {graph_shape_last(&input->shape), units};

        if (input->shape.type == GRAPH_FLOATS)
            sum = onnx_step(
                graph, "MatMul", onnx_input_of(graph, node, i),
                onnx_floats(graph->walk->file, onnx_parameter(graph, node, parameter++), sizes, 2));
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct graph_node *input = graph_input(graph->graph, node, i);
        uint32_t at = 0;

        if (input->shape.type == GRAPH_FLOATS)
            continue;
        while ((column = graph_column_next(graph->graph, input, &at))) {
            const onnx_value words = take_words(graph, node, column);

            sum = sum ? onnx_step(graph, "Add", sum, words) : words;
        }
    }
    if (parameter < node->parameter_count)
        sum = onnx_step(
            graph, "Add", sum,
            onnx_floats(graph->walk->file, onnx_parameter(graph, node, parameter), &units, 1));
    return sum;
}

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

/* ----- norms ----- */

static onnx_value write_softmax(struct onnx_graph *graph, const struct graph_node *node)
{
    return onnx_step_along(graph, "Softmax", onnx_input_of(graph, node, 0), "axis", -1);
}

static onnx_value write_layer_norm(struct onnx_graph *graph, const struct graph_node *node)
{
    const uint32_t width = graph_shape_last(&node->shape);
    const onnx_value values[] = {
        onnx_input_of(graph, node, 0),
        onnx_floats(graph->walk->file, onnx_parameter(graph, node, 0), &width, 1),
        onnx_floats(graph->walk->file, onnx_parameter(graph, node, 1), &width, 1)};

    /* Its epsilon is 1e-5, unless it is said. */
    return onnx_node_value(onnx_node_new(graph->walk->file, "", "LayerNormalization", values, 3));
}

static onnx_value write_l2_normalise(struct onnx_graph *graph, const struct graph_node *node)
{
    static const int64_t last = -1;
    const onnx_value x = onnx_input_of(graph, node, 0);
    const onnx_value length = onnx_step(graph, "ReduceL2", x, onnx_list(graph, &last, 1));

    return onnx_step(graph, "Div", x, onnx_step(graph, "Max", length, onnx_float(graph, 1e-6f)));
}

/* ----- shapes ----- */

/* An axis of a shape, counted in the tensor, whose first are the rows. */
static int64_t axis_of(double axis, uint32_t rank)
{
    return (int64_t)axis + (axis < 0 ? rank : 0) + 1;
}

static onnx_value write_reshape(struct onnx_graph *graph, const struct graph_node *node)
{
    return onnx_shaped(graph, onnx_input_of(graph, node, 0), node->shape.sizes, node->shape.rank);
}

static onnx_value write_transpose(struct onnx_graph *graph, const struct graph_node *node)
{
    const uint32_t rank = node->shape.rank;
    const struct graph_argument *axes = &node->arguments[0];
    int64_t order[GRAPH_RANK_MAX + 1] = {0};

    for (uint32_t i = 0; i < rank; i++)
        order[i + 1] = axes->list_count ? axis_of(axes->list[i], rank) : rank - i;
    return onnx_turned(graph, onnx_input_of(graph, node, 0), order, rank + 1);
}

static onnx_value write_slice(struct onnx_graph *graph, const struct graph_node *node)
{
    const int64_t from = (int64_t)node->arguments[0].number,
                  to = (int64_t)node->arguments[1].number;
    const int64_t axis = axis_of(node->arguments[2].number, node->shape.rank);
    const onnx_value values[] = {onnx_input_of(graph, node, 0), onnx_list(graph, &from, 1),
                                 onnx_list(graph, &to, 1), onnx_list(graph, &axis, 1)};

    return onnx_node_value(onnx_node_new(graph->walk->file, "", "Slice", values, 4));
}

static onnx_value reduced(struct onnx_graph *graph, const struct graph_node *node,
                          const char *operator)
{
    const uint32_t rank = graph_input(graph->graph, node, 0)->shape.rank;
    const struct graph_argument *argument = &node->arguments[0];
    const uint32_t count = argument->list_count ? argument->list_count : rank;
    int64_t axes[GRAPH_RANK_MAX];
    onnx_value values[2] = {onnx_input_of(graph, node, 0)};
    struct onnx_node *made;

    if (count == 0) /* one number */
        return values[0];
    for (uint32_t i = 0; i < count; i++)
        axes[i] = argument->list_count ? axis_of(argument->list[i], rank) : i + 1;
    values[1] = onnx_list(graph, axes, count);
    made = onnx_node_new(graph->walk->file, "", operator, values, 2);
    onnx_set_integer(graph->walk->file, made, "keepdims", 0);
    return onnx_node_value(made);
}

static onnx_value write_sum(struct onnx_graph *graph, const struct graph_node *node)
{
    return reduced(graph, node, "ReduceSum");
}

static onnx_value write_mean(struct onnx_graph *graph, const struct graph_node *node)
{
    return reduced(graph, node, "ReduceMean");
}

static onnx_value write_concat(struct onnx_graph *graph, const struct graph_node *node)
{
    static const uint32_t one = 1;
    onnx_value values[GRAPH_INPUTS_MAX];
    struct onnx_node *made;

    for (uint32_t i = 0; i < node->input_count; i++)
        values[i] = graph_input(graph->graph, node, i)->shape.rank > 0
                        ? onnx_input_of(graph, node, i)
                        : onnx_shaped(graph, onnx_input_of(graph, node, i), &one, 1);
    made = onnx_node_new(graph->walk->file, "", "Concat", values, node->input_count);
    onnx_set_integer(graph->walk->file, made, "axis",
                     axis_of(node->arguments[0].number, node->shape.rank));
    return onnx_node_value(made);
}

const struct onnx_operation onnx_layers[] = {
    {"numbers", "", write_columns},
    {"column", "name", write_columns},
    {"sequence", "name", write_sequence},
    {"constant", "value", write_constant},
    {"embedding", "size combiner", write_embedding},
    {"dense", "units bias", write_dense},
    {"dropout", "rate", write_same},
    {"identity", "", write_same},
    {"add", "", write_add},
    {"subtract", "", write_subtract},
    {"multiply", "", write_multiply},
    {"divide", "", write_divide},
    {"relu", "", write_relu},
    {"tanh", "", write_tanh},
    {"sigmoid", "", write_sigmoid},
    {"elu", "", write_elu},
    {"selu", "", write_selu},
    {"leaky_relu", "", write_leaky_relu},
    {"gelu", "", write_gelu},
    {"swish", "", write_swish},
    {"softplus", "", write_softplus},
    {"softsign", "", write_softsign},
    {"softmax", "", write_softmax},
    {"layer_norm", "", write_layer_norm},
    {"l2_normalise", "", write_l2_normalise},
    {"reshape", "shape", write_reshape},
    {"flatten", "", write_reshape},
    {"transpose", "axes", write_transpose},
    {"slice", "from to axis", write_slice},
    {"sum", "axes", write_sum},
    {"mean", "axes", write_mean},
    {"concat", "axis", write_concat},
    {.name = NULL},
};
