#include <string.h>

#include "graph/graph_columns.h"
#include "graph/operations/operations.h"
#include "inputs/input.h"

/*
 * one_hot(words): for each word that a column has a number, which is 1 where the row has the word
 * and else 0; columns lie side by side. Nothing of it is learned.
 */

static enum status shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const struct graph_node *ids = graph_input(graph, node, 0);
    const struct graph_column *column;
    uint32_t at = 0;
    uint64_t words = 0;

    if (ids->shape.type != GRAPH_IDS)
        return graph_fail(node, err, "it takes words, and %s are numbers", ids->operation->name);
    while ((column = graph_column_next(graph, ids, &at)))
        words += column->rows;
    if (words > GRAPH_FLOATS_MAX) {
        graph_fail(node, err, "%llu words are more than %u", (unsigned long long)words,
                   GRAPH_FLOATS_MAX);
        return error_hint(err, "dense(words, units) takes them as they are.");
    }
    node->is_sequence = false;
    node->shape = (struct graph_shape){
        .type = GRAPH_FLOATS, .rank = 1, .sizes = {words > 0 ? (uint32_t)words : 1}};
    return STATUS_OK;
}

static void forward(const struct operation_call *call)
{
    const struct graph_column *column;
    const size_t size = call->node->size;
    float *to = call->value;
    uint32_t at = 0;

    memset(to, 0, call->n * size * sizeof *to);
    while (
        (column = graph_column_next(call->graph, graph_input(call->graph, call->node, 0), &at))) {
        for (size_t i = 0; i < call->n; i++) {
            const int32_t *ids = call->ids + i * call->graph->row.ids + column->ids;
            const uint32_t used =
                column->is_text ? text_ids_used(ids, column->id_count) : ids[0] >= 0;

            for (uint32_t k = 0; k < used; k++)
                to[i * size + (uint32_t)ids[k] - column->first_row] = 1;
        }
        to += column->rows;
    }
}

const struct operation one_hot_operation = {
    .name = "one_hot",
    .help = "1 for each word that the row has, else 0.",
    .inputs_least = 1,
    .inputs_most = 1,
    .takes_ids = true,
    .shape = shape,
    .forward = forward,
};
