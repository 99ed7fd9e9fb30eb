#include "planner/explain/explain_graph.h"

#include "graph/graph_print.h"
#include "graph/graph_shape.h"
#include "graph/operation.h"

size_t explain_graph_lines(const struct plan *plan)
{
    return plan->spec.graph ? plan->spec.graph->node_count + 2 : 0;
}

static void explain_node(struct explanation *explanation, const struct graph_node *node)
{
    const struct graph *graph = explanation->plan->spec.graph;
    const uint64_t parameters = graph_node_parameters(graph, node);
    struct text *out = &explanation->detail;
    const struct slice name =
        arena_printf(explanation->arena, "%s_%u", node->operation->name, node->number);

    if (!name.data) {
        explanation->failed = true;
        return;
    }
    graph_node_print_call(graph, node, out);
    text_append_string(out, " -> ");
    graph_shape_print(&node->shape, out);
    if (parameters > 0)
        text_printf(out, "; %llu parameter%s%s", (unsigned long long)parameters,
                    parameters == 1 ? "" : "s",
                    node->table_columns > 0 ? " with one word of each category" : "");
    explanation_line(explanation, name.data);
}

void explain_graph(struct explanation *explanation)
{
    const struct graph *graph = explanation->plan->spec.graph;

    if (!graph)
        return;
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].is_used)
            explain_node(explanation, &graph->nodes[i]);
    if (graph->loss != GRAPH_NONE) {
        graph_node_print_name(&graph->nodes[graph->loss], &explanation->detail);
        explanation_line(explanation, "loss");
    }
    text_printf(&explanation->detail, "%.0f for a row, forward", graph->multiplications);
    explanation_line(explanation, "multiplications");
}
