#include "graph/graph_print.h"

#include "graph/operation.h"

void graph_node_print_name(const struct graph_node *node, struct text *out)
{
    text_printf(out, "%s_%u", node->operation->name, node->number);
}

static void print_size(const struct graph *graph, double number, struct text *out)
{
    if (number >= 0) {
        text_printf(out, "%.9g", number);
    } else if (number == GRAPH_OUTPUTS) {
        text_append_string(out, "outputs");
    } else {
        text_append_string(out, "width(");
        graph_node_print_name(&graph->nodes[graph_width_node(number)], out);
        text_append_char(out, ')');
    }
}

/* A text in single quotes doubles those that it has. */
static void print_doubled(struct slice text, struct text *out)
{
    for (size_t at = 0; at < text.size; at++) {
        text_append_string(out, text.data[at] == '\'' ? "'" : "");
        text_append_char(out, text.data[at]);
    }
}

static void print_argument(const struct graph *graph, const struct operation_argument *argument,
                           const struct graph_argument *given, struct text *out)
{
    text_printf(out, "%s = ", argument->name);
    if (argument->type == ARGUMENT_WORD || argument->type == ARGUMENT_COLUMN) {
        text_append_char(out, '\'');
        print_doubled(given->text, out);
        text_append_char(out, '\'');
    } else if (argument->type == ARGUMENT_SIZE) {
        print_size(graph, given->number, out);
    } else if (argument->type != ARGUMENT_LIST) {
        text_printf(out, "%.9g", given->number);
    } else {
        for (uint32_t i = 0; i < given->list_count; i++)
            text_printf(out, "%s%.9g%s", i == 0 ? "[" : ", ", given->list[i],
                        i + 1 == given->list_count ? "]" : "");
    }
}

void graph_node_print_call(const struct graph *graph, const struct graph_node *node,
                           struct text *out)
{
    const struct operation_argument *arguments = node->operation->arguments;
    bool is_first = true;

    text_printf(out, "%s(", node->operation->name);
    for (uint32_t i = 0; i < node->input_count; i++, is_first = false) {
        text_append_string(out, is_first ? "" : ", ");
        graph_node_print_name(graph_input(graph, node, i), out);
    }
    for (uint32_t i = 0; arguments && arguments[i].name; i++) {
        if (!node->arguments[i].is_set)
            continue;
        text_append_string(out, is_first ? "" : ", ");
        print_argument(graph, &arguments[i], &node->arguments[i], out);
        is_first = false;
    }
    text_append_char(out, ')');
}

uint64_t graph_node_parameters(const struct graph *graph, const struct graph_node *node)
{
    uint64_t count = (uint64_t)node->table_columns * graph->row.id_rows;

    for (uint32_t i = 0; i < node->parameter_count; i++) {
        const struct graph_parameter *parameter = &graph->parameters[node->parameter + i];

        count += (uint64_t)parameter->rows * parameter->width;
    }
    return count;
}

void graph_print_definition(const struct graph *graph, const char *name, struct text *out)
{
    struct text call;

    text_printf(out, "DEFINE MODEL %s AS '\n", name);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        text_init(&call, TEXT_MAXIMUM);
        graph_node_print_call(graph, &graph->nodes[i], &call);
        text_append_string(out, "  ");
        graph_node_print_name(&graph->nodes[i], out);
        text_append_string(out, " = ");
        print_doubled(text_slice(&call), out);
        text_append_string(out, ";\n");
        text_deinit(&call);
    }
    if (graph->loss != GRAPH_NONE) {
        text_append_string(out, "  loss = ");
        graph_node_print_name(&graph->nodes[graph->loss], out);
        text_append_string(out, ";\n");
    }
    text_append_string(out, "  return ");
    graph_node_print_name(&graph->nodes[graph->outputs[0]], out);
    text_append_string(out, "\n'");
}
