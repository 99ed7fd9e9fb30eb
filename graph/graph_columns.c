#include "graph/graph_columns.h"

#include "graph/operation.h"

static struct slice column_name(const struct graph_node *input)
{
    return input->operation->arguments ? input->arguments[0].text : (struct slice){0};
}

bool graph_column_is(const struct graph_column *column, struct slice name)
{
    return slice_equal(name, column->name) || slice_equal(name, column->source);
}

static bool is_sequence_of(const struct graph_node *node, const struct graph_column *column)
{
    return node->is_used && slice_is(slice_of(node->operation->name), "sequence") &&
           graph_column_is(column, column_name(node));
}

bool graph_column_is_of(const struct graph *graph, const struct graph_node *input,
                        const struct graph_column *column)
{
    const struct slice name = column_name(input);
    const uint32_t count = input->shape.type == GRAPH_IDS ? column->id_count : column->dense_count;

    if (count == 0 || column->label)
        return false;
    if (name.size > 0)
        return graph_column_is(column, name);
    for (uint32_t i = 0; column->is_sequence && i < graph->node_count; i++)
        if (is_sequence_of(&graph->nodes[i], column))
            return false;
    return true;
}

const struct graph_column *graph_column_next(const struct graph *graph,
                                             const struct graph_node *input, uint32_t *at)
{
    while (*at < graph->row.column_count) {
        const struct graph_column *column = &graph->row.columns[(*at)++];

        if (graph_column_is_of(graph, input, column))
            return column;
    }
    return NULL;
}

/* A step that is not there is a number that was NULL, or a word behind the last
 * (inputs/sequence.h). */
bool graph_columns_has_step(const struct operation_call *call, uint32_t input, size_t row,
                            size_t step)
{
    const struct graph *graph = call->graph;
    const uint32_t mask = graph_input(graph, call->node, input)->mask;
    const struct graph_column *column;

    if (!graph_input(graph, call->node, input)->is_sequence || mask == GRAPH_NONE)
        return true;
    column = &graph->row.columns[graph->nodes[mask].first_column];
    if (graph->nodes[mask].shape.type == GRAPH_IDS)
        return call->ids[row * graph->row.ids + column->ids + step] >= 0;
    column += step;
    return column->dense_count < 2 ||
           !(call->features[row * graph->row.features + column->dense + 1] > 0);
}

/* ---- the table of words ---- */

/* Do both take ids of one column of a row? */
static bool share_a_column(const struct graph *graph, const struct graph_node *a,
                           const struct graph_node *b)
{
    for (uint32_t i = 0; i < a->input_count; i++)
        for (uint32_t j = 0; j < b->input_count; j++) {
            const struct graph_node *of_a = graph_input(graph, a, i),
                                    *of_b = graph_input(graph, b, j);

            if (of_a->shape.type != GRAPH_IDS || of_b->shape.type != GRAPH_IDS)
                continue;
            for (uint32_t k = 0; k < graph->row.column_count; k++)
                if (graph_column_is_of(graph, of_a, &graph->row.columns[k]) &&
                    graph_column_is_of(graph, of_b, &graph->row.columns[k]))
                    return true;
        }
    return false;
}

void graph_columns_take_table(const struct graph *graph, struct graph_node *node, uint32_t width)
{
    node->table_column = 0;
    node->table_columns = width;
    for (const struct graph_node *other = graph->nodes; other < node; other++)
        if (other->table_columns > 0 && share_a_column(graph, node, other) &&
            other->table_column + other->table_columns > node->table_column)
            node->table_column = other->table_column + other->table_columns;
}

uint32_t graph_columns_table_width(const struct graph *graph)
{
    uint32_t width = 0;

    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].table_column + graph->nodes[i].table_columns > width)
            width = graph->nodes[i].table_column + graph->nodes[i].table_columns;
    return width;
}
