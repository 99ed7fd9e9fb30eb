#include "graph/graph.h"

#include <math.h>
#include <string.h>

#include "graph/operation.h"

void graph_begin(struct graph *graph, struct arena *arena)
{
    *graph = (struct graph){.arena = arena, .loss = GRAPH_NONE, .table = GRAPH_NONE};
}

/* ---- the nodes of a call ---- */

static enum status take_inputs(const struct graph *graph, const struct operation *operation,
                               const struct graph_value *values, uint32_t count, int place,
                               struct graph_node *node, struct error *err)
{
    uint32_t inputs[GRAPH_INPUTS_MAX];

    while (node->input_count < count && values[node->input_count].type == GRAPH_NODE) {
        if (node->input_count == operation->inputs_most)
            return fail_at(
                err, STATUS_INVALID, values[node->input_count].place,
                operation->inputs_most == 0 ? "%s takes no values" : "%s takes at most %u value%s",
                operation->name, operation->inputs_most, operation->inputs_most == 1 ? "" : "s");
        if (values[node->input_count].node >= graph->node_count)
            return fail_at(err, STATUS_INVALID, place, "there is no node %u",
                           values[node->input_count].node);
        inputs[node->input_count] = values[node->input_count].node;
        node->input_count++;
    }
    if (node->input_count < operation->inputs_least) {
        fail_at(err, STATUS_INVALID, place, "%s takes %u value%s first, here are %u",
                operation->name, operation->inputs_least, operation->inputs_least == 1 ? "" : "s",
                node->input_count);
        return error_hint(err, "A list such as number_sequences is empty where COLUMN makes no "
                               "such input.");
    }
    node->inputs = ARENA_NEW(graph->arena, uint32_t, node->input_count);
    if (!node->inputs)
        return fail_no_memory(err);
    memcpy(node->inputs, inputs, node->input_count * sizeof *inputs);
    return STATUS_OK;
}

/* ---- its arguments ---- */

static uint32_t argument_count_of(const struct operation *operation)
{
    uint32_t count = 0;

    while (operation->arguments && operation->arguments[count].name)
        count++;
    return count;
}

/* "It is one of same and valid." */
static enum status hint_words(const char *begin, const char *const *words, struct error *err)
{
    size_t count = 0;
    struct text list;

    while (words[count])
        count++;
    text_init(&list, TEXT_MAXIMUM);
    for (size_t i = 0; i < count; i++) {
        text_append_separator(&list, i, count);
        text_append_string(&list, words[i]);
    }
    if (list.failed)
        fail_no_memory(err);
    else
        error_hint(err, "%s %s.", begin, text_string(&list));
    text_deinit(&list);
    return err->status;
}

static enum status hint_arguments(const struct operation *operation, struct error *err)
{
    const char *names[GRAPH_ARGUMENTS_MAX + 1] = {NULL};
    const uint32_t count = argument_count_of(operation);

    if (count == 0)
        return error_hint(err, "%s has no arguments.", operation->name);
    for (uint32_t i = 0; i < count; i++)
        names[i] = operation->arguments[i].name;
    return hint_words("Its arguments are", names, err);
}

static bool is_in_range(const struct operation_argument *argument, double number)
{
    const bool is_real = argument->type == ARGUMENT_REAL;

    return number >= argument->least && number <= argument->most &&
           (is_real || number == floor(number));
}

static enum status refuse_number(const struct operation *operation,
                                 const struct operation_argument *argument,
                                 const struct graph_value *value, double number, struct error *err)
{
    return fail_at(err, STATUS_INVALID, value->place,
                   "%s of %s is %s from %.15g to %.15g, not %.15g", argument->name, operation->name,
                   argument->type == ARGUMENT_REAL ? "a number" : "a whole number", argument->least,
                   argument->most, number);
}

static enum status refuse_type(const struct operation *operation,
                               const struct operation_argument *argument,
                               const struct graph_value *value, struct error *err)
{
    static const char *const wanted[] = {"a whole number",   "a whole number",
                                         "a number",         "a list of whole numbers",
                                         "a word in quotes", "the name of a column in quotes"};
    static const char *const found[] = {"a value of the graph", "a number", "a list", "a text"};

    return fail_at(err, STATUS_INVALID, value->place, "%s of %s is %s, not %s", argument->name,
                   operation->name, wanted[argument->type], found[value->type]);
}

static bool is_size_word(const struct graph *graph, const struct operation_argument *argument,
                         double number)
{
    return argument->type == ARGUMENT_SIZE &&
           (number == GRAPH_OUTPUTS || graph_width_node(number) < graph->node_count);
}

static enum status take_number(const struct graph *graph, const struct operation *operation,
                               const struct operation_argument *argument,
                               const struct graph_value *value, struct graph_argument *taken,
                               struct error *err)
{
    if (value->type != GRAPH_NUMBER)
        return refuse_type(operation, argument, value, err);
    if (!is_size_word(graph, argument, value->number) && !is_in_range(argument, value->number))
        return refuse_number(operation, argument, value, value->number, err);
    taken->number = value->number;
    return STATUS_OK;
}

/* A number is a list of one. */
static enum status take_list(const struct operation *operation,
                             const struct operation_argument *argument,
                             const struct graph_value *value, struct graph_argument *taken,
                             struct error *err)
{
    const bool is_number = value->type == GRAPH_NUMBER;
    const double *items = is_number ? &value->number : value->list;

    if (!is_number && value->type != GRAPH_LIST)
        return refuse_type(operation, argument, value, err);
    taken->list_count = is_number ? 1 : value->list_count;
    if (taken->list_count == 0 || taken->list_count > GRAPH_LIST_MAX)
        return fail_at(err, STATUS_INVALID, value->place, "%s of %s has 1 to %d numbers, not %u",
                       argument->name, operation->name, GRAPH_LIST_MAX, taken->list_count);
    for (uint32_t i = 0; i < taken->list_count; i++) {
        if (!is_in_range(argument, items[i]))
            return refuse_number(operation, argument, value, items[i], err);
        taken->list[i] = items[i];
    }
    return STATUS_OK;
}

static enum status take_text(const struct graph *graph, const struct operation *operation,
                             const struct operation_argument *argument,
                             const struct graph_value *value, struct graph_argument *taken,
                             struct error *err)
{
    if (value->type != GRAPH_TEXT || value->text.size == 0)
        return refuse_type(operation, argument, value, err);
    taken->text = arena_copy(graph->arena, value->text);
    if (!taken->text.data)
        return fail_no_memory(err);
    if (argument->type == ARGUMENT_COLUMN ||
        term_find_fold(argument->words, value->text, &taken->word))
        return STATUS_OK;
    fail_at(err, STATUS_INVALID, value->place, "%s of %s is no \"%.*s\"", argument->name,
            operation->name, value->text.size > 40 ? 40 : (int)value->text.size, value->text.data);
    return hint_words("It is one of", argument->words, err);
}

static enum status take_value(const struct graph *graph, const struct operation *operation,
                              const struct operation_argument *argument,
                              const struct graph_value *value, struct graph_argument *taken,
                              struct error *err)
{
    if (taken->is_set)
        return fail_at(err, STATUS_INVALID, value->place, "%s of %s is given twice", argument->name,
                       operation->name);
    taken->is_set = true;
    switch (argument->type) {
    case ARGUMENT_LIST:
        return take_list(operation, argument, value, taken, err);
    case ARGUMENT_WORD:
    case ARGUMENT_COLUMN:
        return take_text(graph, operation, argument, value, taken, err);
    default:
        return take_number(graph, operation, argument, value, taken, err);
    }
}

/* The argument that a value is for: the one of its name, or the next one by place. */
static enum status find_argument(const struct operation *operation, const struct graph_value *value,
                                 uint32_t place, uint32_t *found, struct error *err)
{
    const uint32_t count = argument_count_of(operation);

    *found = place;
    for (uint32_t i = 0; value->name.size > 0 && i < count; i++)
        if (slice_is(value->name, operation->arguments[i].name)) {
            *found = i;
            return STATUS_OK;
        }
    if (value->name.size > 0)
        fail_at(err, STATUS_INVALID, value->place, "%s has no argument \"%.*s\"", operation->name,
                value->name.size > 40 ? 40 : (int)value->name.size, value->name.data);
    else if (value->type == GRAPH_NODE)
        return fail_at(err, STATUS_INVALID, value->place,
                       "%s takes its values first, and arguments behind them", operation->name);
    else if (place < count)
        return STATUS_OK;
    else
        fail_at(err, STATUS_INVALID, value->place, "%s has %u argument%s, here are more",
                operation->name, count, count == 1 ? "" : "s");
    return hint_arguments(operation, err);
}

static enum status take_arguments(const struct graph *graph, const struct operation *operation,
                                  const struct graph_value *values, uint32_t count, int place,
                                  struct graph_node *node, struct error *err)
{
    const uint32_t known = argument_count_of(operation);
    bool is_named = false;

    node->arguments = ARENA_NEW(graph->arena, struct graph_argument, known);
    if (!node->arguments)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at;

        if (is_named && values[i].name.size == 0)
            return fail_at(err, STATUS_INVALID, values[i].place,
                           "%s has an argument without a name behind one with a name",
                           operation->name);
        is_named = values[i].name.size > 0;
        TRY(find_argument(operation, &values[i], i, &at, err));
        TRY(take_value(graph, operation, &operation->arguments[at], &values[i],
                       &node->arguments[at], err));
    }
    for (uint32_t i = 0; i < known; i++) {
        if (node->arguments[i].is_set)
            continue;
        if (operation->arguments[i].is_needed) {
            fail_at(err, STATUS_INVALID, place, "%s needs %s", operation->name,
                    operation->arguments[i].name);
            return error_hint(err, "%s", operation->arguments[i].help);
        }
        node->arguments[i].number = operation->arguments[i].number;
        if (operation->arguments[i].type == ARGUMENT_WORD)
            node->arguments[i].word = (unsigned)operation->arguments[i].number;
    }
    return STATUS_OK;
}

/* ---- calls ---- */

static enum status refuse_operation(struct slice name, int place, struct error *err)
{
    const char *names[GRAPH_OPERATIONS_MAX];
    size_t count = 0;
    int nearest;

    for (; operations[count]; count++)
        names[count] = operations[count]->name;
    nearest = text_nearest(name, names, count);
    fail_at(err, STATUS_INVALID, place, "there is no operation \"%.*s\"",
            name.size > 40 ? 40 : (int)name.size, name.data);
    return nearest < 0 ? err->status : error_hint(err, "Did you mean %s?", names[nearest]);
}

/* Room for one more node. */
static enum status make_room(struct graph *graph, int place, struct error *err)
{
    struct graph_node *nodes;

    if (graph->node_count == GRAPH_NODES_MAX)
        return fail_at(err, STATUS_LIMIT, place, "a graph has at most %d calls of operations",
                       GRAPH_NODES_MAX);
    if (graph->node_count < graph->node_room)
        return STATUS_OK;
    graph->node_room = graph->node_room ? 2 * graph->node_room : 16;
    nodes = ARENA_NEW(graph->arena, struct graph_node, graph->node_room);
    if (!nodes)
        return fail_no_memory(err);
    if (graph->node_count > 0)
        memcpy(nodes, graph->nodes, graph->node_count * sizeof *nodes);
    graph->nodes = nodes;
    return STATUS_OK;
}

enum status graph_call(struct graph *graph, struct slice name, const struct graph_value *values,
                       uint32_t count, int place, uint32_t *number, struct error *err)
{
    const struct operation *operation = operation_find(name);
    struct graph_node *node;

    if (!operation)
        return refuse_operation(name, place, err);
    TRY(make_room(graph, place, err));
    node = &graph->nodes[graph->node_count];
    *node = (struct graph_node){.operation = operation, .number = 1, .place = place};
    TRY(take_inputs(graph, operation, values, count, place, node, err));
    TRY(take_arguments(graph, operation, values + node->input_count, count - node->input_count,
                       place, node, err));
    for (uint32_t i = 0; i < graph->node_count; i++)
        node->number += graph->nodes[i].operation == operation;
    *number = graph->node_count++;
    return STATUS_OK;
}

enum status graph_end(struct graph *graph, const uint32_t *outputs, uint32_t count,
                      struct error *err)
{
    if (count != 1)
        return fail(err, STATUS_INVALID, "a graph returns one value, not %u", count);
    if (outputs[0] >= graph->node_count)
        return fail(err, STATUS_INVALID, "there is no node %u to return", outputs[0]);
    graph->outputs = ARENA_NEW(graph->arena, uint32_t, count);
    if (!graph->outputs)
        return fail_no_memory(err);
    graph->outputs[0] = outputs[0];
    graph->output_count = count;
    return STATUS_OK;
}

/* A label says how many outputs there are. */
static enum status refuse_outputs(const struct graph *graph, struct error *err)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct graph_node *node = &graph->nodes[i];

        for (uint32_t j = 0; j < argument_count_of(node->operation); j++) {
            if (node->operation->arguments[j].type != ARGUMENT_SIZE ||
                node->arguments[j].number != GRAPH_OUTPUTS)
                continue;
            fail_at(err, STATUS_INVALID, node->place,
                    "outputs are those that a label asks for, and a model with a loss of its own "
                    "has no label");
            return error_hint(err, "Say how many numbers there are, as in dense(h, 2).");
        }
    }
    return STATUS_OK;
}

enum status graph_minimise(struct graph *graph, uint32_t loss, struct error *err)
{
    if (loss >= graph->node_count)
        return fail(err, STATUS_INVALID, "there is no node %u to minimise", loss);
    TRY(refuse_outputs(graph, err));
    graph->loss = loss;
    return STATUS_OK;
}

/* ---- graphs as a whole ---- */

enum status graph_copy(const struct graph *graph, struct arena *arena, struct graph *copy,
                       struct error *err)
{
    *copy = (struct graph){.arena = arena,
                           .node_count = graph->node_count,
                           .node_room = graph->node_count,
                           .outputs = graph->outputs,
                           .output_count = graph->output_count,
                           .loss = graph->loss,
                           .table = GRAPH_NONE};
    copy->nodes = ARENA_NEW(arena, struct graph_node, graph->node_count);
    if (!copy->nodes)
        return fail_no_memory(err);
    memcpy(copy->nodes, graph->nodes, graph->node_count * sizeof *copy->nodes);
    return STATUS_OK;
}

static bool same_argument(const struct graph_argument *a, const struct graph_argument *b)
{
    return a->is_set == b->is_set && a->number == b->number && a->word == b->word &&
           slice_equal(a->text, b->text) && a->list_count == b->list_count &&
           memcmp(a->list, b->list, a->list_count * sizeof *a->list) == 0;
}

/* Wherever they stand. */
static bool same_call(const struct graph_node *a, const struct graph_node *b)
{
    bool is_same = a->operation == b->operation && a->input_count == b->input_count &&
                   memcmp(a->inputs, b->inputs, a->input_count * sizeof *a->inputs) == 0;

    for (uint32_t i = 0; is_same && i < argument_count_of(a->operation); i++)
        is_same = same_argument(&a->arguments[i], &b->arguments[i]);
    return is_same;
}

uint32_t graph_difference(const struct graph *a, const struct graph *b)
{
    for (uint32_t i = 0; i < a->node_count; i++)
        if (i >= b->node_count || !same_call(&a->nodes[i], &b->nodes[i]))
            return i;
    return b->node_count == a->node_count && a->loss == b->loss &&
                   a->output_count == b->output_count &&
                   memcmp(a->outputs, b->outputs, a->output_count * sizeof *a->outputs) == 0
               ? GRAPH_NONE
               : a->node_count;
}

bool graph_equal(const struct graph *a, const struct graph *b)
{
    if (graph_difference(a, b) != GRAPH_NONE)
        return false;
    for (uint32_t i = 0; i < a->node_count; i++)
        if (a->nodes[i].place != b->nodes[i].place)
            return false;
    return true;
}
