#include "tests/unit/made_graph.h"

#include "tests/check.h"

struct graph_value node_of(uint32_t node)
{
    return (struct graph_value){.type = GRAPH_NODE, .node = node, .place = 7};
}

struct graph_value number_of(double number)
{
    return (struct graph_value){.type = GRAPH_NUMBER, .number = number, .place = 8};
}

struct graph_value text_of(const char *text)
{
    return (struct graph_value){.type = GRAPH_TEXT, .text = slice_of(text), .place = 9};
}

struct graph_value list_of(const double *numbers, uint32_t count)
{
    struct graph_value value = {.type = GRAPH_LIST, .list_count = count, .place = 8};

    memcpy(value.list, numbers, count * sizeof *numbers);
    return value;
}

struct graph_value named(const char *name, struct graph_value value)
{
    value.name = slice_of(name);
    return value;
}

uint32_t made_call(struct graph *graph, const char *name, const struct graph_value *values,
                   uint32_t count)
{
    struct error err;
    uint32_t node = GRAPH_NONE;

    CHECK_OK(graph_call(graph, slice_of(name), values, count, MADE_PLACE, &node, &err));
    return node;
}

void made_end(struct graph *graph, uint32_t output)
{
    struct error err;

    CHECK_OK(graph_end(graph, &output, 1, &err));
}
