/* Words select rows of tables. The id -1, which selects nothing, is the last row: of zeros. */
#include "interop/onnx/onnx_ids.h"

#include "graph/graph_columns.h"
#include "graph/graph_shape.h"

/* (N, ids) of a column. */
static onnx_value ids_of(struct onnx_graph *graph, const struct graph_column *column)
{
    return onnx_run_of(graph, graph->ids, column->ids, column->ids + column->id_count, 1);
}

/* (N, ids, table_columns): the node's columns of the table of words in the rows that ids of a
 * column select. */
static onnx_value take_rows(struct onnx_graph *graph, const struct graph_node *node,
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
                     ids_of(graph, column));
}

/* (N, 1): how many words of the column the row has, 1 where it has none. */
static onnx_value count_of(struct onnx_graph *graph, const struct graph_column *column)
{
    static const int64_t ids = 1;
    static const int64_t none = -1;
    const onnx_value is_there =
        onnx_step(graph, "Greater", ids_of(graph, column), onnx_list(graph, &none, 1));

    return onnx_step(graph, "Max",
                     onnx_reduced(graph, "ReduceSum",
                                  onnx_cast(graph->walk->file, is_there, ONNX_FLOAT), &ids, 1,
                                  true),
                     onnx_float(graph, 1));
}

/* (N, table_columns): a word's row, or those of a text's words, made one. */
static onnx_value take_words(struct onnx_graph *graph, const struct graph_node *node,
                             const struct graph_column *column, enum combiner combiner)
{
    static const int64_t ids = 1;
    const onnx_value sum =
        onnx_reduced(graph, "ReduceSum", take_rows(graph, node, column), &ids, 1, false);

    if (!column->is_text || combiner == COMBINER_SUM)
        return sum;
    return onnx_step(graph, "Div", sum,
                     combiner == COMBINER_MEAN
                         ? count_of(graph, column)
                         : onnx_step(graph, "Sqrt", count_of(graph, column), NULL));
}

static onnx_value write_embedding(struct onnx_graph *graph, const struct graph_node *node)
{
    const struct graph_node *ids = graph_input(graph->graph, node, 0);
    const unsigned combiner = graph_argument(node, "combiner")->word;
    onnx_value *values = ONNX_NEW(graph->walk, onnx_value, ids->shape.sizes[0]);
    const struct graph_column *column;
    uint32_t at = 0, count = 0;

    if (ids->is_sequence) /* a row for each step */
        return take_rows(graph, node, graph_column_next(graph->graph, ids, &at));
    while (values && (column = graph_column_next(graph->graph, ids, &at)))
        values[count++] = take_words(
            graph, node, column, combiner == 0 ? column->combiner : (enum combiner)(combiner - 1));
    if (!values || count == 1)
        return values ? values[0] : "";
    return onnx_shaped(graph, onnx_beside(graph, values, count, 1), node->shape.sizes,
                       node->shape.rank);
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
            sum = onnx_step(graph, "MatMul", onnx_input_of(graph, node, i),
                            onnx_parameter_shaped(graph, node, parameter++, sizes, 2));
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct graph_node *input = graph_input(graph->graph, node, i);
        uint32_t at = 0;

        if (input->shape.type == GRAPH_FLOATS)
            continue;
        while ((column = graph_column_next(graph->graph, input, &at))) {
            const onnx_value words = take_words(graph, node, column, column->combiner);

            sum = sum ? onnx_step(graph, "Add", sum, words) : words;
        }
    }
    if (parameter < node->parameter_count)
        sum =
            onnx_step(graph, "Add", sum, onnx_parameter_shaped(graph, node, parameter, &units, 1));
    return sum;
}

/* (N, rows) of a column: 1 for each word that the row has. */
static onnx_value marks_of(struct onnx_graph *graph, const struct graph_column *column)
{
    static const float off_and_on[] = {0, 1};
    static const uint32_t two = 2;
    static const int64_t ids = 1;
    const int64_t depth = (int64_t)column->rows + 1;
    const onnx_value values[] = {ids_of(graph, column), onnx_list(graph, &depth, 1),
                                 onnx_floats(graph->walk->file, off_and_on, &two, 1)};
    const onnx_value each =
        onnx_node_value(onnx_node_new(graph->walk->file, "", "OneHot", values, 3));

    return onnx_run_of(graph, onnx_reduced(graph, "ReduceMax", each, &ids, 1, false), 0,
                       column->rows, 1);
}

static onnx_value write_one_hot(struct onnx_graph *graph, const struct graph_node *node)
{
    const struct graph_node *ids = graph_input(graph->graph, node, 0);
    onnx_value *values = ONNX_NEW(graph->walk, onnx_value, ids->shape.sizes[0] + 1u);
    const struct graph_column *column;
    uint32_t at = 0, count = 0;

    while (values && (column = graph_column_next(graph->graph, ids, &at)))
        if (column->rows > 0)
            values[count++] = marks_of(graph, column);
    if (!values)
        return "";
    if (count == 0) /* no column has a word */
        return onnx_step(graph, "Expand", onnx_float(graph, 0), graph->walk->rows);
    return onnx_beside(graph, values, count, 1);
}

const struct onnx_operation onnx_ids[] = {
    {"embedding", "size combiner", write_embedding},
    {"dense", "units bias", write_dense},
    {"one_hot", "", write_one_hot},
    {.name = NULL},
};
