#include <string.h>

#include "graph/graph_columns.h"
#include "graph/graph_words.h"
#include "graph/operations/operations.h"

/*
 * embedding(words, size): of each column of words the row of the table that its id selects, of a
 * text those of all its words, by the column's combiner or another one. (size) of one column,
 * (columns, size) of several, (steps, size) of a sequence of words.
 */

/* "auto", then those of combiner_words. */
static const char *const combiners[] = {"auto", "sqrtn", "sum", "mean", NULL};
_Static_assert(COMBINER_SQRTN == 0 && COMBINER_SUM == 1 && COMBINER_MEAN == 2, "their order");

static const struct operation_argument arguments[] = {
    {.name = "size",
     .type = ARGUMENT_WHOLE,
     .least = 1,
     .most = EMBEDDING_DIMENSION_MAX,
     .is_needed = true,
     .help = "How many numbers stand for a word."},
    {.name = "combiner",
     .type = ARGUMENT_WORD,
     .words = combiners,
     .help = "How the words of a text become one: auto is the combiner of the column."},
    {.name = NULL},
};

static enum status shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const struct graph_node *ids = graph_input(graph, node, 0);
    const uint32_t size = (uint32_t)graph_argument(node, "size")->number;

    if (ids->shape.type != GRAPH_IDS)
        return graph_fail(node, err, "it takes words, and %s are numbers", ids->operation->name);
    node->shape = (struct graph_shape){.type = GRAPH_FLOATS, .rank = 1, .sizes = {size}};
    if (ids->shape.sizes[0] > 1 || ids->is_sequence)
        node->shape = (struct graph_shape){
            .type = GRAPH_FLOATS, .rank = 2, .sizes = {ids->shape.sizes[0], size}};
    graph_columns_take_table(graph, node, size);
    node->table_start = (struct graph_start){.rule = GRAPH_START_LIMIT, .limit = 0.05};
    return STATUS_OK;
}

static enum combiner combiner_of(const struct graph_node *node, const struct graph_column *column)
{
    const unsigned word = graph_argument(node, "combiner")->word;

    return word == 0 ? column->combiner : (enum combiner)(word - 1);
}

static void forward(const struct operation_call *call)
{
    const struct graph_node *node = call->node;
    const struct graph_column *column;
    uint32_t at = 0;
    float *to = call->value;

    if (node->is_sequence) {
        graph_words_steps(
            call, graph_column_next(call->graph, graph_input(call->graph, node, 0), &at), to);
        return;
    }
    memset(to, 0, (size_t)call->n * node->size * sizeof *to);
    while ((column = graph_column_next(call->graph, graph_input(call->graph, node, 0), &at))) {
        graph_words_add(call, column, combiner_of(node, column), to, node->size);
        to += node->table_columns;
    }
}

static void backward(const struct operation_call *call)
{
    const struct graph_node *node = call->node;
    const struct graph_column *column;
    const float *delta = call->delta;
    uint32_t at = 0;

    if (node->is_sequence) {
        graph_words_give_steps(
            call, graph_column_next(call->graph, graph_input(call->graph, node, 0), &at), delta);
        return;
    }

    while ((column = graph_column_next(call->graph, graph_input(call->graph, node, 0), &at))) {
        graph_words_give(call, column, combiner_of(node, column), delta, node->size);
        delta += node->table_columns;
    }
}

const struct operation embedding_operation = {
    .name = "embedding",
    .help = "Numbers that are learned for each word.",
    .arguments = arguments,
    .inputs_least = 1,
    .inputs_most = 1,
    .takes_ids = true,
    .shape = shape,
    .forward = forward,
    .backward = backward,
};
