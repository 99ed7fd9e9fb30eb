#include "graph/graph_words.h"

#include <string.h>

#include "base/vectors.h"
#include "inputs/input.h"

/* The ids of a row of data that select rows of the table, and the share of each. */
struct selection {
    const int32_t *ids;
    uint32_t count;
    struct text_shares shares;
};

static struct selection selection_of(const struct graph_column *column, enum combiner combiner,
                                     const int32_t *ids)
{
    const struct text_ids text = {column->ids, column->id_count, combiner, column->is_weighted};
    struct selection selection = {ids + column->ids, ids[column->ids] >= 0, {1, NULL}};

    if (!column->is_text)
        return selection;
    selection.count = text_ids_used(selection.ids, column->id_count);
    selection.shares = text_shares_of(&text, ids, selection.count);
    return selection;
}

WIDE_VECTORS
static void add_scaled(float *restrict to, const float *restrict from, float share, uint32_t count)
{
    for (uint32_t u = 0; u < count; u++)
        to[u] += share * from[u];
}

void graph_words_add(const struct operation_call *call, const struct graph_column *column,
                     enum combiner combiner, float *to, size_t to_row)
{
    const struct graph_node *node = call->node;
    const float *table = call->parameters + call->graph->parameters[call->graph->table].first;
    const size_t width = call->graph->table_width;

    for (uint32_t i = 0; i < call->n; i++, to += to_row) {
        const struct selection selection =
            selection_of(column, combiner, call->ids + (size_t)i * call->graph->row.ids);

        for (uint32_t k = 0; k < selection.count; k++)
            add_scaled(to, table + (size_t)selection.ids[k] * width + node->table_column,
                       text_share(&selection.shares, k), node->table_columns);
    }
}

void graph_words_give(const struct operation_call *call, const struct graph_column *column,
                      enum combiner combiner, const float *delta, size_t delta_row)
{
    const struct graph_node *node = call->node;
    float *table = call->gradient + call->graph->parameters[call->graph->table].first;
    const size_t width = call->graph->table_width;

    for (uint32_t i = 0; i < call->n; i++, delta += delta_row) {
        const struct selection selection =
            selection_of(column, combiner, call->ids + (size_t)i * call->graph->row.ids);

        for (uint32_t k = 0; k < selection.count; k++) {
            const uint32_t place = touched_rows_add(call->touched, (uint32_t)selection.ids[k]);

            add_scaled(table + place * width + node->table_column, delta,
                       text_share(&selection.shares, k), node->table_columns);
        }
    }
}

/* The id of a step, of all steps of the rows; -1: it is not there. */
static int32_t step_id(const struct operation_call *call, const struct graph_column *column,
                       size_t i)
{
    return call
        ->ids[i / column->id_count * call->graph->row.ids + column->ids + i % column->id_count];
}

void graph_words_steps(const struct operation_call *call, const struct graph_column *column,
                       float *to)
{
    const struct graph_node *node = call->node;
    const float *table = call->parameters + call->graph->parameters[call->graph->table].first;
    const size_t width = call->graph->table_width, columns = node->table_columns;

    memset(to, 0, (size_t)call->n * node->size * sizeof *to);
    for (size_t i = 0; i < (size_t)call->n * column->id_count; i++, to += columns)
        if (step_id(call, column, i) >= 0)
            memcpy(to, table + (size_t)step_id(call, column, i) * width + node->table_column,
                   columns * sizeof *to);
}

void graph_words_give_steps(const struct operation_call *call, const struct graph_column *column,
                            const float *delta)
{
    const struct graph_node *node = call->node;
    float *table = call->gradient + call->graph->parameters[call->graph->table].first;
    const size_t width = call->graph->table_width, columns = node->table_columns;

    for (size_t i = 0; i < (size_t)call->n * column->id_count; i++, delta += columns) {
        const int32_t id = step_id(call, column, i);

        if (id >= 0)
            add_scaled(table + touched_rows_add(call->touched, (uint32_t)id) * width +
                           node->table_column,
                       delta, 1, node->table_columns);
    }
}
