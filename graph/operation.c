#include "graph/operation.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "graph/graph_shape.h"
#include "scoring/model.h"

const struct operation *operation_find(struct slice name)
{
    for (size_t i = 0; operations[i]; i++)
        if (slice_is(name, operations[i]->name))
            return operations[i];
    return NULL;
}

const struct graph_argument *graph_argument(const struct graph_node *node, const char *name)
{
    const struct operation_argument *arguments = node->operation->arguments;
    uint32_t i = 0;

    /* A name of the operation's own file is the table's: forward asks for it in each chunk. */
    while (arguments[i].name && arguments[i].name != name)
        i++;
    if (arguments[i].name)
        return &node->arguments[i];
    for (i = 0; strcmp(arguments[i].name, name) != 0;)
        i++;
    return &node->arguments[i];
}

uint32_t graph_argument_size(const struct graph *graph, const struct graph_node *node,
                             const char *name)
{
    const double number = graph_argument(node, name)->number;

    if (number == GRAPH_OUTPUTS)
        return graph->row.outputs;
    return number < 0 ? graph_shape_last(&graph->nodes[graph_width_node(number)].shape)
                      : (uint32_t)number;
}

uint32_t graph_width_node(double number)
{
    const double node = GRAPH_WIDTH_OF(number); /* its own inverse */

    return node >= 0 && node < GRAPH_NODES_MAX ? (uint32_t)node : GRAPH_NONE;
}

enum status graph_parameter_add(struct graph *graph, struct graph_node *node, const char *part,
                                uint64_t rows, uint64_t width, struct graph_parameter **made,
                                struct error *err)
{
    struct graph_parameter *parameter = &graph->parameters[graph->parameter_count];

    if (graph->parameter_count == GRAPH_PARAMETERS_MAX)
        return fail_at(err, STATUS_LIMIT, node->place,
                       "%s: a graph has at most %d arrays of parameters", node->operation->name,
                       GRAPH_PARAMETERS_MAX);
    if (rows > UINT32_MAX || width > UINT32_MAX ||
        graph->floats + rows * width > MODEL_PARAMETERS_MAX)
        return fail_at(err, STATUS_LIMIT, node->place, "%s: more than %llu parameters",
                       node->operation->name, (unsigned long long)MODEL_PARAMETERS_MAX);
    *parameter = (struct graph_parameter){.node = (uint32_t)(node - graph->nodes),
                                          .first = graph->floats,
                                          .rows = (uint32_t)rows,
                                          .width = (uint32_t)width};
    snprintf(parameter->name, sizeof parameter->name, "%s_%u/%s", node->operation->name,
             node->number, part);
    graph->floats += (uint32_t)(rows * width);
    graph->parameter_count++;
    *made = parameter;
    return STATUS_OK;
}

enum status graph_fail(const struct graph_node *node, struct error *err, const char *format, ...)
{
    char message[sizeof err->message];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return fail_at(err, STATUS_INVALID, node->place, "%s: %s", node->operation->name, message);
}
