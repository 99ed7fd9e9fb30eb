/* Inputs, layers of numbers, norms and shapes. */
#include "interop/onnx/onnx_layers.h"

#include <math.h>

#include "arithmetic/batch_norm.h"
#include "graph/graph_columns.h"
#include "graph/graph_shape.h"
#include "graph/operation.h"

/* ----- inputs ----- */

static onnx_value take_features(struct onnx_graph *graph, const int64_t *places, uint32_t count)
{
    return onnx_places_of(graph, graph->features, places, count, 1);
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

/* ----- norms ----- */

static onnx_value write_softmax(struct onnx_graph *graph, const struct graph_node *node)
{
    return onnx_step_along(graph, "Softmax", onnx_input_of(graph, node, 0), "axis", -1);
}

static onnx_value write_layer_norm(struct onnx_graph *graph, const struct graph_node *node)
{
    const uint32_t width = graph_shape_last(&node->shape);
    const onnx_value values[] = {onnx_input_of(graph, node, 0),
                                 onnx_parameter_shaped(graph, node, 0, &width, 1),
                                 onnx_parameter_shaped(graph, node, 1, &width, 1)};

    /* Its epsilon is 1e-5, unless it is said. */
    return onnx_node_value(onnx_node_new(graph->walk->file, "", "LayerNormalization", values, 3));
}

static onnx_value write_l2_normalise(struct onnx_graph *graph, const struct graph_node *node)
{
    static const int64_t last = -1;
    const onnx_value x = onnx_input_of(graph, node, 0);
    const onnx_value length = onnx_reduced(graph, "ReduceL2", x, &last, 1, true);

    return onnx_step(graph, "Div", x, onnx_step(graph, "Max", length, onnx_float(graph, 1e-6f)));
}

/* By the running mean and variance. */
static onnx_value write_batch_norm(struct onnx_graph *graph, const struct graph_node *node)
{
    const uint32_t width = graph_shape_last(&node->shape);
    const float *gamma = onnx_parameter(graph, node, 0), *variance = onnx_parameter(graph, node, 3);
    float *factors = ONNX_NEW(graph->walk, float, width);
    onnx_value value = onnx_input_of(graph, node, 0);

    for (uint32_t j = 0; factors && j < width; j++)
        factors[j] = gamma[j] / sqrtf(variance[j] + (float)BATCH_NORM_EPSILON);
    if (!factors)
        return "";
    value = onnx_step(graph, "Sub", value, onnx_parameter_shaped(graph, node, 2, &width, 1));
    value = onnx_step(graph, "Mul", value, onnx_floats(graph->walk->file, factors, &width, 1));
    return onnx_step(graph, "Add", value, onnx_parameter_shaped(graph, node, 1, &width, 1));
}

/* ----- angles ----- */

/* The sum of a b along the last axis. */
static onnx_value product_of(struct onnx_graph *graph, onnx_value a, onnx_value b)
{
    static const int64_t last = -1;

    return onnx_reduced(graph, "ReduceSum", onnx_step(graph, "Mul", a, b), &last, 1, false);
}

/* In doubles, as scoring has it. */
static onnx_value write_cosine(struct onnx_graph *graph, const struct graph_node *node)
{
    static const double least_length = 1e-8; /* graph/operations/cosine.c */
    struct onnx_file *file = graph->walk->file;
    const onnx_value least = onnx_doubles(file, &least_length, 0, 1);
    onnx_value of[2], length[2];

    for (uint32_t i = 0; i < 2; i++) {
        of[i] = onnx_cast(file, onnx_input_of(graph, node, i), ONNX_DOUBLE);
        length[i] = onnx_step(graph, "Sqrt", product_of(graph, of[i], of[i]), NULL);
        length[i] = onnx_step(graph, "Max", length[i], least);
    }
    return onnx_cast(file,
                     onnx_step(graph, "Div", product_of(graph, of[0], of[1]),
                               onnx_step(graph, "Mul", length[0], length[1])),
                     ONNX_FLOAT);
}

/* ----- matrices ----- */

static onnx_value write_matmul(struct onnx_graph *graph, const struct graph_node *node)
{
    const uint32_t rank = node->shape.rank;
    int64_t order[] = {0, 1, 2, 3, 4};
    onnx_value b = onnx_input_of(graph, node, 1);

    if (graph_argument(node, "transpose")->number > 0) {
        order[rank] = rank - 1;
        order[rank - 1] = rank;
        b = onnx_turned(graph, b, order, rank + 1u);
    }
    return onnx_step(graph, "MatMul", onnx_input_of(graph, node, 0), b);
}

static onnx_value write_dense_each(struct onnx_graph *graph, const struct graph_node *node)
{
    const uint32_t column[] = {node->shape.sizes[0], 1};
    const onnx_value x = onnx_shaped(graph, onnx_input_of(graph, node, 0), column, 2);

    return onnx_step(
        graph, "Add",
        onnx_step(graph, "Mul", x, onnx_parameter_shaped(graph, node, 0, node->shape.sizes, 2)),
        onnx_parameter_shaped(graph, node, 1, node->shape.sizes, 2));
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

    return onnx_run_of(graph, onnx_input_of(graph, node, 0), from, to, axis);
}

static onnx_value write_gather(struct onnx_graph *graph, const struct graph_node *node)
{
    const struct graph_argument *places = graph_argument(node, "places");
    int64_t copy[GRAPH_LIST_MAX];

    for (uint32_t i = 0; i < places->list_count; i++)
        copy[i] = (int64_t)places->list[i];
    return onnx_places_of(graph, onnx_input_of(graph, node, 0), copy, places->list_count,
                          axis_of(graph_argument(node, "axis")->number, node->shape.rank));
}

static onnx_value write_part(struct onnx_graph *graph, const struct graph_node *node)
{
    const int64_t axis = axis_of(graph_argument(node, "axis")->number, node->shape.rank);
    const int64_t size = node->shape.sizes[axis - 1];
    const int64_t from = (int64_t)graph_argument(node, "number")->number * size;

    return onnx_run_of(graph, onnx_input_of(graph, node, 0), from, from + size, axis);
}

static onnx_value reduced(struct onnx_graph *graph, const struct graph_node *node,
                          const char *operator)
{
    const uint32_t rank = graph_input(graph->graph, node, 0)->shape.rank;
    const struct graph_argument *argument = &node->arguments[0];
    const uint32_t count = argument->list_count ? argument->list_count : rank;
    int64_t axes[GRAPH_RANK_MAX];

    if (count == 0) /* one number */
        return onnx_input_of(graph, node, 0);
    for (uint32_t i = 0; i < count; i++)
        axes[i] = argument->list_count ? axis_of(argument->list[i], rank) : i + 1;
    return onnx_reduced(graph, operator, onnx_input_of(graph, node, 0), axes, count, false);
}

static onnx_value write_sum(struct onnx_graph *graph, const struct graph_node *node)
{
    return reduced(graph, node, "ReduceSum");
}

static onnx_value write_mean(struct onnx_graph *graph, const struct graph_node *node)
{
    return reduced(graph, node, "ReduceMean");
}

static onnx_value write_max(struct onnx_graph *graph, const struct graph_node *node)
{
    return reduced(graph, node, "ReduceMax");
}

static onnx_value write_concat(struct onnx_graph *graph, const struct graph_node *node)
{
    static const uint32_t one = 1;
    onnx_value values[GRAPH_INPUTS_MAX];

    for (uint32_t i = 0; i < node->input_count; i++)
        values[i] = graph_input(graph->graph, node, i)->shape.rank > 0
                        ? onnx_input_of(graph, node, i)
                        : onnx_shaped(graph, onnx_input_of(graph, node, i), &one, 1);
    return onnx_beside(graph, values, node->input_count,
                       axis_of(node->arguments[0].number, node->shape.rank));
}

const struct onnx_operation onnx_layers[] = {
    {"numbers", "", write_columns},
    {"column", "name", write_columns},
    {"sequence", "name", write_sequence},
    {"constant", "value", write_constant},
    {"softmax", "", write_softmax},
    {"layer_norm", "", write_layer_norm},
    {"l2_normalise", "", write_l2_normalise},
    {"batch_norm", "", write_batch_norm},
    {"cosine", "", write_cosine},
    {"matmul", "transpose", write_matmul},
    {"dense_each", "units", write_dense_each},
    {"reshape", "shape", write_reshape},
    {"flatten", "", write_reshape},
    {"transpose", "axes", write_transpose},
    {"slice", "from to axis", write_slice},
    {"sum", "axes", write_sum},
    {"gather", "places axis", write_gather},
    {"part", "number parts axis", write_part},
    {"mean", "axes", write_mean},
    {"max", "axes", write_max},
    {"concat", "axis", write_concat},
    {.name = NULL},
};
