#include "graph/graph_infer.h"

#include <stdio.h>
#include <string.h>

#include "graph/graph_columns.h"
#include "graph/graph_labels.h"
#include "graph/graph_shape.h"
#include "graph/operation.h"
#include "scoring/model.h"

/* ---- which nodes count ---- */

/* Nodes whose widths are arguments have to be inferred, though they may be inputs of none. */
static void mark_widths(struct graph *graph, const struct graph_node *node)
{
    const struct operation_argument *arguments = node->operation->arguments;

    for (uint32_t i = 0; arguments && arguments[i].name; i++)
        if (arguments[i].type == ARGUMENT_SIZE &&
            graph_width_node(node->arguments[i].number) != GRAPH_NONE)
            graph->nodes[graph_width_node(node->arguments[i].number)].is_used = true;
}

static void mark_inputs(struct graph *graph, uint32_t i)
{
    const struct graph_node *node = &graph->nodes[i];

    for (uint32_t j = 0; j < node->input_count; j++) {
        struct graph_node *input = &graph->nodes[node->inputs[j]];

        input->is_used = true;
        if (!node->is_minimised)
            continue;
        input->is_minimised = true;
        input->last_taker = input->takers++ == 0 ? i : input->last_taker;
    }
}

/* Inputs have lesser numbers: one way back is enough. */
static void mark_used(struct graph *graph)
{
    for (uint32_t i = 0; i < graph->output_count; i++)
        graph->nodes[graph->outputs[i]].is_used = true;
    graph->nodes[graph_minimised(graph)].is_used = true;
    graph->nodes[graph_minimised(graph)].is_minimised = true;
    for (uint32_t i = graph->node_count; i-- > 0;) {
        if (!graph->nodes[i].is_used)
            continue;
        mark_widths(graph, &graph->nodes[i]);
        mark_inputs(graph, i);
    }
}

static void forget(struct graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct graph_node *node = &graph->nodes[i];

        *node = (struct graph_node){
            .operation = node->operation,
            .number = node->number,
            .inputs = node->inputs,
            .input_count = node->input_count,
            .arguments = node->arguments,
            .place = node->place,
            .mask = GRAPH_NONE,
        };
    }
    graph->parameter_count = graph->floats = graph->table_width = graph->transposed = 0;
    graph->table = GRAPH_NONE;
    graph->multiplications = 0;
}

/* ---- a node ---- */

static enum status check_types(const struct graph *graph, const struct graph_node *node,
                               struct error *err)
{
    const bool embeds = slice_is(slice_of(node->operation->name), "embedding");

    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct graph_node *input = graph_input(graph, node, i);

        const bool is_in_order = input->shape.type == GRAPH_IDS && input->is_sequence;

        if (input->shape.type == GRAPH_FLOATS ||
            (node->operation->takes_ids && (!is_in_order || embeds)))
            continue;
        graph_fail(node, err, "it takes %s, and %s are %s",
                   node->operation->takes_ids ? "no words in order" : "numbers",
                   input->operation->name, node->operation->takes_ids ? "such" : "words");
        return error_hint(err, "embedding(%s, 8) makes numbers of words.", input->operation->name);
    }
    return STATUS_OK;
}

static enum status infer_node(struct graph *graph, struct graph_node *node, struct error *err)
{
    char shape[GRAPH_SHAPE_BYTES];

    TRY(check_types(graph, node, err));
    node->parameter = graph->parameter_count;
    for (uint32_t i = 0; i < node->input_count; i++)
        if (graph_input(graph, node, i)->is_sequence) {
            node->is_sequence = true; /* shape may say otherwise */
            node->mask = graph_input(graph, node, i)->mask;
            break;
        }
    TRY(node->operation->shape(graph, node, err));
    if (graph_shape_size(&node->shape) > GRAPH_FLOATS_MAX)
        return graph_fail(node, err, "its shape %s has more than %u numbers",
                          graph_shape_text(&node->shape, shape), GRAPH_FLOATS_MAX);
    node->size = (uint32_t)graph_shape_size(&node->shape);
    node->parameter_count = graph->parameter_count - node->parameter;
    node->is_learned = node->parameter_count > 0 || node->table_columns > 0;
    for (uint32_t i = 0; i < node->input_count; i++)
        node->is_learned |= graph_input(graph, node, i)->is_learned;
    if (node->operation->cost)
        graph->multiplications += node->operation->cost(graph, node);
    return STATUS_OK;
}

/* ---- what follows from all of them ---- */

static enum status add_table(struct graph *graph, struct error *err)
{
    struct graph_parameter *table;
    const uint64_t floats = (uint64_t)graph->table_width * graph->row.id_rows;

    if (graph->table_width == 0 || graph->row.id_rows == 0)
        return STATUS_OK;
    if (graph->parameter_count == GRAPH_PARAMETERS_MAX ||
        graph->floats + floats > MODEL_PARAMETERS_MAX)
        return fail(err, STATUS_LIMIT,
                    "the graph's table of words has %u rows of %u numbers: more than %llu "
                    "parameters",
                    graph->row.id_rows, graph->table_width,
                    (unsigned long long)MODEL_PARAMETERS_MAX);
    graph->table = graph->parameter_count;
    table = &graph->parameters[graph->parameter_count++];
    *table = (struct graph_parameter){.node = GRAPH_NONE,
                                      .first = graph->floats,
                                      .rows = graph->row.id_rows,
                                      .width = graph->table_width};
    snprintf(table->name, sizeof table->name, "words/table");
    graph->floats += (uint32_t)floats;
    return STATUS_OK;
}

static void place_transposed(struct graph *graph)
{
    for (uint32_t i = 0; i < graph->parameter_count; i++) {
        struct graph_parameter *parameter = &graph->parameters[i];

        if (!parameter->is_transposed)
            continue;
        parameter->transposed = graph->transposed;
        graph->transposed += parameter->rows * parameter->width;
    }
}

/* The activation that all takers of a value put it through, else identity. */
static enum activation next_of(const struct graph *graph, uint32_t number)
{
    enum activation next = ACTIVATION_IDENTITY;
    bool is_first = true;

    for (uint32_t i = number + 1; i < graph->node_count; i++)
        for (uint32_t j = 0; graph->nodes[i].is_used && j < graph->nodes[i].input_count; j++) {
            unsigned taker;

            if (graph->nodes[i].inputs[j] != number)
                continue;
            if (!term_find(activation_words, slice_of(graph->nodes[i].operation->name), &taker) ||
                (!is_first && taker != next))
                return ACTIVATION_IDENTITY;
            next = (enum activation)taker;
            is_first = false;
        }
    return next;
}

/* The bias that is added to all outputs: that of the last dense, also where others are added to
 * it. */
static void start_outputs(struct graph *graph)
{
    const struct graph_node *node = &graph->nodes[graph->outputs[0]];

    while (slice_is(slice_of(node->operation->name), "add"))
        node = graph_input(graph, node, 0);
    for (uint32_t i = 0; i < node->parameter_count; i++) {
        struct graph_parameter *parameter = &graph->parameters[node->parameter + i];

        if (parameter->is_bias && parameter->width == graph->row.outputs &&
            slice_is(slice_of(node->operation->name), "dense"))
            parameter->start.rule = GRAPH_START_OUTPUTS;
    }
}

static void settle_starts(struct graph *graph)
{
    for (uint32_t i = 0; i < graph->parameter_count; i++)
        if (graph->parameters[i].node != GRAPH_NONE)
            graph->parameters[i].start.next = next_of(graph, graph->parameters[i].node);
    for (uint32_t i = 0; i < graph->node_count; i++)
        graph->nodes[i].table_start.next = next_of(graph, i);
    if (graph->loss == GRAPH_NONE)
        start_outputs(graph);
}

static enum status check_loss(const struct graph *graph, struct error *err)
{
    const struct graph_node *node = &graph->nodes[graph->loss];
    char shape[GRAPH_SHAPE_BYTES];

    if (node->shape.type != GRAPH_FLOATS || node->size != 1) {
        graph_fail(node, err, "the loss has the shape %s, and is one number for a row",
                   graph_shape_text(&node->shape, shape));
        return error_hint(err, "mean(x) and sum(x) make one of x.");
    }
    if (!node->is_learned)
        return graph_fail(node, err, "the loss has nothing to learn");
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (graph->nodes[i].is_minimised ||
            (graph->nodes[i].parameter_count == 0 && graph->nodes[i].table_columns == 0))
            continue;
        graph_fail(&graph->nodes[i], err, "its parameters are not learned");
        return error_hint(err, "The loss does not depend on them.");
    }
    return STATUS_OK;
}

/* A graph with a loss of its own says how many numbers it returns. */
static enum status settle_outputs(struct graph *graph, struct error *err)
{
    const struct graph_node *node = &graph->nodes[graph->outputs[0]];
    char shape[GRAPH_SHAPE_BYTES];

    TRY(check_loss(graph, err));
    graph->row.outputs = node->size;
    if (node->shape.type == GRAPH_FLOATS && node->shape.rank <= 1 && node->size <= COMPONENTS_MAX)
        return STATUS_OK;
    graph_fail(node, err, "the returned value has the shape %s, and is up to %d numbers",
               graph_shape_text(&node->shape, shape), COMPONENTS_MAX);
    return error_hint(err, "flatten(x) makes one axis of all.");
}

static enum status check_outputs(const struct graph *graph, struct error *err)
{
    const struct graph_node *node = &graph->nodes[graph->outputs[0]];
    const bool is_array = node->shape.type == GRAPH_FLOATS && node->shape.rank <= 1;
    char shape[GRAPH_SHAPE_BYTES];

    if (!node->is_learned)
        return graph_fail(node, err, "the returned value has nothing to learn");
    if (is_array && (node->size == graph->row.outputs || graph->row.guesses_outputs))
        return STATUS_OK;
    graph_fail(node, err, "the returned value has the shape %s, and the label asks for (%u)",
               graph_shape_text(&node->shape, shape), graph->row.outputs);
    return error_hint(err, "The last operation is usually dense(h, outputs).");
}

enum status graph_infer(struct graph *graph, const struct graph_row *row, struct error *err)
{
    graph->row = *row;
    graph->parameters = graph->parameters
                            ? graph->parameters
                            : ARENA_NEW(graph->arena, struct graph_parameter, GRAPH_PARAMETERS_MAX);
    if (!graph->parameters)
        return fail_no_memory(err);
    forget(graph);
    mark_used(graph);
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].is_used)
            TRY(infer_node(graph, &graph->nodes[i], err));
    TRY(graph_labels_check(graph, err));
    graph->table_width = graph_columns_table_width(graph);
    TRY(add_table(graph, err));
    place_transposed(graph);
    settle_starts(graph);
    return graph->loss == GRAPH_NONE ? check_outputs(graph, err) : settle_outputs(graph, err);
}
