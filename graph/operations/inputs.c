#include <string.h>

#include "graph/graph_columns.h"
#include "graph/operations/operations.h"

static const struct operation_argument column_arguments[] = {
    {.name = "name", .type = ARGUMENT_COLUMN, .is_needed = true, .help = "The column's name."},
    {.name = NULL},
};

/* ---- numbers, words ---- */

/* Features, or ids, of all columns that the node takes: the shape says of which type. */
static uint32_t count_columns(const struct graph *graph, const struct graph_node *node,
                              uint32_t *columns)
{
    const struct graph_column *column;
    uint32_t at = 0, features = 0;

    for (*columns = 0; (column = graph_column_next(graph, node, &at)); (*columns)++)
        features += column->dense_count;
    return features;
}

static enum status numbers_shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    uint32_t columns, features;

    node->shape = (struct graph_shape){.type = GRAPH_FLOATS, .rank = 1};
    features = count_columns(graph, node, &columns);
    if (features == 0)
        return graph_fail(node, err, "no column is a number");
    node->shape.sizes[0] = features;
    return STATUS_OK;
}

static enum status words_shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    uint32_t columns;

    node->shape = (struct graph_shape){.type = GRAPH_IDS, .rank = 1};
    count_columns(graph, node, &columns);
    if (columns == 0)
        return graph_fail(node, err, "no column is a category or a text");
    node->shape.sizes[0] = columns;
    return STATUS_OK;
}

/* ---- one column ---- */

static enum status refuse_name(const struct graph *graph, const struct graph_node *node,
                               struct error *err)
{
    struct text names;

    graph_fail(node, err, "no input is called \"%.*s\"", SLICE_FORMAT(node->arguments[0].text));
    text_init(&names, sizeof err->hint / 2);
    for (uint32_t i = 0; i < graph->row.column_count; i++)
        if (!graph->row.columns[i].label)
            text_printf(&names, "%s%.*s", i ? ", " : "", SLICE_FORMAT(graph->row.columns[i].name));
    error_hint(err, "The inputs are %s.", text_string(&names));
    text_deinit(&names);
    return err->status;
}

/* How many inputs of a row have that name: those with features, and those with ids. */
static enum status find_column(const struct graph *graph, const struct graph_node *node,
                               uint32_t *numbers, uint32_t *words, struct error *err)
{
    *numbers = *words = 0;
    for (uint32_t i = 0; i < graph->row.column_count; i++) {
        const struct graph_column *column = &graph->row.columns[i];

        if (column->label || !graph_column_is(column, node->arguments[0].text))
            continue;
        *numbers += column->dense_count > 0;
        *words += column->id_count > 0;
    }
    return *numbers + *words == 0 ? refuse_name(graph, node, err) : STATUS_OK;
}

static enum status column_shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    uint32_t numbers, words, columns;

    TRY(find_column(graph, node, &numbers, &words, err));
    if (numbers > 0 && words > 0)
        return graph_fail(node, err, "\"%.*s\" is numbers and words both",
                          SLICE_FORMAT(node->arguments[0].text));
    node->shape = (struct graph_shape){
        .type = words > 0 ? GRAPH_IDS : GRAPH_FLOATS, .rank = 1, .sizes = {words}};
    if (numbers > 0)
        node->shape.sizes[0] = count_columns(graph, node, &columns);
    return STATUS_OK;
}

/* ---- a sequence ---- */

/* The first column of its steps, which lie side by side, or the one of all its words; GRAPH_NONE:
 * there is none. */
static uint32_t first_step(const struct graph *graph, const struct graph_node *node)
{
    for (uint32_t i = 0; i < graph->row.column_count; i++) {
        const struct graph_column *column = &graph->row.columns[i];

        if (column->is_sequence && (column->dense_count > 0 || column->has_order) &&
            graph_column_is(column, node->arguments[0].text))
            return i;
    }
    return GRAPH_NONE;
}

static enum status refuse_sequence(const struct graph_node *node, struct error *err)
{
    const struct slice name = node->arguments[0].text;

    graph_fail(node, err, "\"%.*s\" is no sequence", SLICE_FORMAT(name));
    return error_hint(err,
                      "COLUMN SEQUENCE(%.*s, 20) takes the last 20 numbers of each cell, and "
                      "VOCABULARY(SEQUENCE(%.*s, 20)) the last 20 words.",
                      SLICE_FORMAT(name), SLICE_FORMAT(name));
}

static enum status sequence_shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    uint32_t numbers, words, at = first_step(graph, node);

    TRY(find_column(graph, node, &numbers, &words, err));
    if (at == GRAPH_NONE)
        return refuse_sequence(node, err);
    node->shape = (struct graph_shape){.type = GRAPH_FLOATS, .rank = 2, .sizes = {numbers, 1}};
    if (graph->row.columns[at].has_order)
        node->shape = (struct graph_shape){
            .type = GRAPH_IDS, .rank = 1, .sizes = {graph->row.columns[at].id_count}};
    node->first_column = at;
    node->is_sequence = true;
    node->mask = (uint32_t)(node - graph->nodes);
    return STATUS_OK;
}

/* The number of each step, without what tells that it is there. */
static void sequence_forward(const struct operation_call *call)
{
    const struct graph_column *columns = call->graph->row.columns + call->node->first_column;
    float *to = call->value;

    for (size_t i = 0; i < call->n; i++)
        for (uint32_t t = 0; t < call->node->size; t++)
            *to++ = call->features[i * call->graph->row.features + columns[t].dense];
}

/* ---- their values ---- */

/* Features of each row side by side. Ids are taken where they lie (graph_words.h). */
static void forward(const struct operation_call *call)
{
    const struct graph_column *column;
    float *to = call->value;
    uint32_t at = 0;

    if (call->node->shape.type == GRAPH_IDS)
        return;
    while ((column = graph_column_next(call->graph, call->node, &at))) {
        for (size_t i = 0; i < call->n; i++)
            memcpy(to + i * call->node->size,
                   call->features + i * call->graph->row.features + column->dense,
                   column->dense_count * sizeof *to);
        to += column->dense_count;
    }
}

const struct operation sequence_operation = {
    .name = "sequence",
    .help = "The numbers or words of a SEQUENCE, step by step.",
    .arguments = column_arguments,
    .shape = sequence_shape,
    .forward = sequence_forward,
};
const struct operation numbers_operation = {
    .name = "numbers",
    .help = "All columns that are numbers.",
    .shape = numbers_shape,
    .forward = forward,
};
const struct operation words_operation = {
    .name = "words",
    .help = "All columns that are categories or texts.",
    .shape = words_shape,
    .forward = forward,
};
const struct operation column_operation = {
    .name = "column",
    .help = "One column.",
    .arguments = column_arguments,
    .shape = column_shape,
    .forward = forward,
};
