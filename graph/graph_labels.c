#include "graph/graph_labels.h"

#include <math.h>

#include "graph/operation.h"

static bool is_call_of(const struct graph_node *node, const char *name)
{
    return slice_is(slice_of(node->operation->name), name);
}

static bool is_taken(const struct graph_head *heads, uint32_t count, uint32_t column)
{
    for (uint32_t i = 0; i < count; i++)
        if (heads[i].column == column)
            return true;
    return false;
}

/* The label that the value is compared with, and that none of the heads before it has: one value
 * may be returned for several labels. GRAPH_NONE: there is none. */
static uint32_t label_of(const struct graph *graph, uint32_t value, const struct graph_head *heads,
                         uint32_t count)
{
    for (uint32_t i = value + 1; i < graph->node_count; i++) {
        const struct graph_node *node = &graph->nodes[i];
        uint32_t column;

        if (!node->is_minimised || !is_call_of(node, GRAPH_LABEL_LOSS) || node->inputs[0] != value)
            continue;
        column = graph_input(graph, node, 1)->first_column;
        if (!is_taken(heads, count, column))
            return column;
    }
    return GRAPH_NONE;
}

uint32_t graph_heads(const struct graph *graph, struct graph_head *heads)
{
    const struct graph_node *returned = &graph->nodes[graph->outputs[0]];
    const bool is_one = label_of(graph, graph->outputs[0], heads, 0) != GRAPH_NONE;
    const uint32_t *values = is_one ? graph->outputs : returned->inputs;
    const uint32_t count = is_one ? 1 : returned->input_count;
    uint32_t first = 0;

    if (graph->loss == GRAPH_NONE || count > GRAPH_HEADS_MAX ||
        (!is_one && !is_call_of(returned, "concat")))
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        heads[i] = (struct graph_head){.column = label_of(graph, values[i], heads, i),
                                       .node = values[i],
                                       .first = first,
                                       .count = graph->nodes[values[i]].size};
        first += heads[i].count;
        if (heads[i].column == GRAPH_NONE)
            return 0;
    }
    return count;
}

enum status graph_labels_check(const struct graph *graph, struct error *err)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct graph_node *node = &graph->nodes[i];

        for (uint32_t j = 0; node->is_used && j < node->input_count; j++) {
            if (!is_call_of(graph_input(graph, node, j), GRAPH_LABEL) ||
                (j == 1 && is_call_of(node, GRAPH_LABEL_LOSS)))
                continue;
            graph_fail(node, err, "it takes a label, which " GRAPH_LABEL_LOSS " alone does");
            return error_hint(err, "A model that sees its label learns nothing else.");
        }
    }
    return STATUS_OK;
}

/* ---- how good a head is ---- */

uint32_t graph_label_class(const struct graph_column *column, const int32_t *ids, uint32_t classes)
{
    const int64_t class = (int64_t)ids[column->ids] - column->first_row;

    return class >= 0 && class < (int64_t)classes ? (uint32_t) class : GRAPH_NONE;
}

float graph_label_number(const struct graph_column *column, const float *features)
{
    const bool is_missing = column->dense_count > 1 && features[column->dense + 1] > 0;

    return is_missing ? NAN : features[column->dense];
}

static uint32_t greatest(const float *values, uint32_t count)
{
    uint32_t at = 0;

    for (uint32_t i = 1; i < count; i++)
        at = values[i] > values[at] ? i : at;
    return at;
}

void graph_head_measure(const struct graph *graph, const struct graph_head *head,
                        const struct graph_rows *rows, const float *outputs,
                        struct graph_head_sums *sums)
{
    const struct graph_column *column = &graph->row.columns[head->column];
    const size_t width = graph->nodes[graph->outputs[0]].size;

    for (uint32_t i = 0; i < rows->n; i++) {
        const float *values = outputs + i * width + head->first;
        const float *features = rows->features + i * (size_t)graph->row.features;

        if (column->label == INPUT_LABEL_NUMBER) {
            const double difference = (double)(values[0] - graph_label_number(column, features));

            sums->rows += !isnan(difference);
            sums->squares += isnan(difference) ? 0 : difference * difference;
        } else {
            const uint32_t class =
                graph_label_class(column, rows->ids + i * (size_t)graph->row.ids, head->count);

            sums->rows += class != GRAPH_NONE;
            sums->correct += class != GRAPH_NONE && greatest(values, head->count) == class;
        }
    }
}
