#include "graph/graph_columns.h"
#include "graph/operations/operations.h"

/*
 * embedding(words, size): of each column of words the row of the table that its id selects, of a
 * text those of all its words, by the column's combiner or another one. (size) of one column,
 * (columns, size) of several.
 */

static const char *const combiners[] = {"auto", "sqrtn", "sum", "mean", NULL};

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
     .help = "How the words of a text become one: auto is as the column says."},
    {.name = NULL},
};

static enum status shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const struct graph_node *ids = graph_input(graph, node, 0);
    const uint32_t size = (uint32_t)graph_argument(node, "size")->number;

    if (ids->shape.type != GRAPH_IDS)
        return graph_fail(node, err, "it takes words, and %s are numbers", ids->operation->name);
    node->shape = (struct graph_shape){.type = GRAPH_FLOATS, .rank = 1, .sizes = {size}};
    if (ids->shape.sizes[0] > 1)
        node->shape = (struct graph_shape){
            .type = GRAPH_FLOATS, .rank = 2, .sizes = {ids->shape.sizes[0], size}};
    graph_columns_take_table(graph, node, size);
    node->table_start = (struct graph_start){.rule = GRAPH_START_LIMIT, .limit = 0.05};
    return STATUS_OK;
}

const struct operation embedding_operation = {
    .name = "embedding",
    .help = "Numbers that are learned for each word.",
    .arguments = arguments,
    .inputs_least = 1,
    .inputs_most = 1,
    .takes_ids = true,
    .shape = shape,
};
