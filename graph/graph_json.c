#include "graph/graph_json.h"

#include <stdio.h>
#include <string.h>

#include "graph/operation.h"

#define PLACE_MAX (1 << 30)

/* ---- writing ---- */

#define WIDTH_OF "width of " /* and the number of a node */

static cJSON *json_of_size(double number)
{
    char width[sizeof WIDTH_OF + 10];

    if (number == GRAPH_OUTPUTS)
        return json_string(slice_of("outputs"));
    if (number >= 0)
        return json_integer((int64_t)number);
    snprintf(width, sizeof width, WIDTH_OF "%u", graph_width_node(number));
    return json_string(slice_of(width));
}

static cJSON *json_of(const struct operation_argument *argument, const struct graph_argument *value)
{
    cJSON *list;

    switch (argument->type) {
    case ARGUMENT_WORD:
        return json_string(slice_of(argument->words[value->word]));
    case ARGUMENT_COLUMN:
        return json_string(value->text);
    case ARGUMENT_LIST:
        list = cJSON_CreateArray();
        for (uint32_t i = 0; i < value->list_count; i++)
            json_append(list, json_integer((int64_t)value->list[i]));
        return list;
    case ARGUMENT_REAL:
        return json_real(value->number);
    case ARGUMENT_SIZE:
        return json_of_size(value->number);
    default:
        return json_integer((int64_t)value->number);
    }
}

static void write_node(const struct graph_node *node, cJSON *object)
{
    const struct operation_argument *arguments = node->operation->arguments;
    cJSON *inputs;

    json_add_string(object, "operation", slice_of(node->operation->name));
    if (node->input_count > 0) {
        inputs = json_add_array(object, "inputs");
        for (uint32_t i = 0; i < node->input_count; i++)
            json_append(inputs, json_integer(node->inputs[i]));
    }
    for (uint32_t i = 0; arguments && arguments[i].name; i++)
        if (node->arguments[i].is_set)
            json_add(object, arguments[i].name, json_of(&arguments[i], &node->arguments[i]));
    if (node->place >= 0)
        json_add_integer(object, "place", node->place);
}

void graph_write(const struct graph *graph, cJSON *object)
{
    cJSON *nodes = json_add_array(object, "nodes"), *outputs;

    for (uint32_t i = 0; i < graph->node_count; i++) {
        cJSON *node = cJSON_CreateObject();

        write_node(&graph->nodes[i], node);
        json_append(nodes, node);
    }
    outputs = json_add_array(object, "outputs");
    for (uint32_t i = 0; i < graph->output_count; i++)
        json_append(outputs, json_integer(graph->outputs[i]));
    if (graph->loss != GRAPH_NONE)
        json_add_integer(object, "minimised", graph->loss);
}

/* ---- reading ---- */

static enum status corrupt(struct error *err, const char *what)
{
    return fail(err, STATUS_CORRUPT, "graph: %s", what);
}

/* A number of an array that is a whole one within the range. */
static enum status whole_of(const cJSON *item, double most, uint32_t *number, struct error *err)
{
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= most) ||
        item->valuedouble != (double)(uint32_t)item->valuedouble)
        return corrupt(err, "the number of a node is invalid");
    *number = (uint32_t)item->valuedouble;
    return STATUS_OK;
}

static enum status read_list(const cJSON *item, struct graph_value *value, struct error *err)
{
    const cJSON *number;

    if (cJSON_GetArraySize(item) > GRAPH_LIST_MAX)
        return corrupt(err, "a list is too long");
    value->type = GRAPH_LIST;
    cJSON_ArrayForEach(number, item)
    {
        if (!cJSON_IsNumber(number))
            return corrupt(err, "a list has what is no number");
        value->list[value->list_count++] = number->valuedouble;
    }
    return STATUS_OK;
}

static enum status read_argument(const cJSON *item, struct graph_value *value, struct error *err)
{
    value->name = slice_of(item->string);
    value->place = -1;
    if (cJSON_IsArray(item))
        return read_list(item, value, err);
    if (cJSON_IsNumber(item)) {
        value->type = GRAPH_NUMBER;
        value->number = item->valuedouble;
        return STATUS_OK;
    }
    if (!cJSON_IsString(item))
        return corrupt(err, "an argument is no number, list or text");
    value->type = GRAPH_TEXT;
    value->text = slice_of(item->valuestring);
    return STATUS_OK;
}

/* "outputs" and "width of 3" of an argument that is a size. */
static void read_size(const struct operation *operation, struct graph_value *value)
{
    const struct operation_argument *argument = operation->arguments;
    const struct slice width = SLICE(WIDTH_OF);
    int64_t node;

    while (argument && argument->name && !slice_is(value->name, argument->name))
        argument++;
    if (!argument || !argument->name || argument->type != ARGUMENT_SIZE ||
        value->type != GRAPH_TEXT)
        return;
    if (slice_is(value->text, "outputs")) {
        value->type = GRAPH_NUMBER;
        value->number = GRAPH_OUTPUTS;
    } else if (value->text.size > width.size &&
               slice_equal((struct slice){value->text.data, width.size}, width) &&
               slice_to_integer(
                   (struct slice){value->text.data + width.size, value->text.size - width.size},
                   &node) &&
               node >= 0 && node < GRAPH_NODES_MAX) {
        value->type = GRAPH_NUMBER;
        value->number = GRAPH_WIDTH_OF(node);
    }
}

static enum status read_inputs(const cJSON *node, struct graph_value *values, uint32_t *count,
                               struct error *err)
{
    const cJSON *inputs, *input;

    if (!json_has(node, "inputs"))
        return STATUS_OK;
    TRY(json_get_array(node, "inputs", GRAPH_INPUTS_MAX, &inputs, err));
    cJSON_ArrayForEach(input, inputs)
    {
        values[*count] = (struct graph_value){.type = GRAPH_NODE, .place = -1};
        TRY(whole_of(input, GRAPH_NODES_MAX, &values[(*count)++].node, err));
    }
    return STATUS_OK;
}

static bool is_argument(const cJSON *item)
{
    return strcmp(item->string, "operation") != 0 && strcmp(item->string, "inputs") != 0 &&
           strcmp(item->string, "place") != 0;
}

static enum status read_node(const cJSON *item, struct graph *graph, struct error *err)
{
    struct graph_value values[GRAPH_INPUTS_MAX + GRAPH_ARGUMENTS_MAX];
    const struct operation *operation;
    uint32_t count = 0, number;
    int64_t place = -1;
    struct slice name;
    const cJSON *argument;

    if (!cJSON_IsObject(item))
        return corrupt(err, "a node is no object");
    TRY(json_get_string(item, "operation", &name, err));
    operation = operation_find(name);
    if (json_has(item, "place"))
        TRY(json_get_integer(item, "place", 0, PLACE_MAX, &place, err));
    TRY(read_inputs(item, values, &count, err));
    cJSON_ArrayForEach(argument, item)
    {
        if (!is_argument(argument))
            continue;
        if (count == GRAPH_INPUTS_MAX + GRAPH_ARGUMENTS_MAX)
            return corrupt(err, "a node has too many arguments");
        values[count] = (struct graph_value){0};
        TRY(read_argument(argument, &values[count], err));
        if (operation)
            read_size(operation, &values[count]);
        count++;
    }
    return graph_call(graph, name, values, count, (int)place, &number, err);
}

static enum status read_graph(const cJSON *object, struct graph *graph, struct error *err)
{
    const cJSON *nodes, *outputs, *item;
    uint32_t output = 0;
    int64_t loss;

    TRY(json_get_array(object, "nodes", GRAPH_NODES_MAX, &nodes, err));
    cJSON_ArrayForEach(item, nodes) TRY(read_node(item, graph, err));
    TRY(json_get_array(object, "outputs", 1, &outputs, err));
    if (cJSON_GetArraySize(outputs) != 1)
        return corrupt(err, "there is no output");
    TRY(whole_of(cJSON_GetArrayItem(outputs, 0), GRAPH_NODES_MAX, &output, err));
    TRY(graph_end(graph, &output, 1, err));
    if (!json_has(object, "minimised"))
        return STATUS_OK;
    TRY(json_get_integer(object, "minimised", 0, GRAPH_NODES_MAX, &loss, err));
    return graph_minimise(graph, (uint32_t)loss, err);
}

enum status graph_read(const cJSON *object, struct arena *arena, struct graph *graph,
                       struct error *err)
{
    enum status status;

    graph_begin(graph, arena);
    status = read_graph(object, graph, err);
    if (status == STATUS_INVALID) {
        err->status = STATUS_CORRUPT;
        err->position = -1;
        return STATUS_CORRUPT;
    }
    return status;
}
