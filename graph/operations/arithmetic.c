#include "graph/graph_shape.h"
#include "graph/operations/operations.h"

/*
 * add(a, b) and its kin, number by number. Shapes are alike, or one of them is the end of the
 * other, whose other axes repeat it: (8, 16) and (16), (8, 16) and ().
 */

/* Is the shape the end of the other? */
static bool is_end(const struct graph_shape *end, const struct graph_shape *whole)
{
    for (uint32_t i = 0; i < end->rank && i < whole->rank; i++)
        if (end->sizes[end->rank - 1 - i] != whole->sizes[whole->rank - 1 - i])
            return false;
    return end->rank <= whole->rank;
}

static enum status shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const struct graph_shape *a = &graph_input(graph, node, 0)->shape;
    const struct graph_shape *b = &graph_input(graph, node, 1)->shape;
    char of_a[GRAPH_SHAPE_BYTES], of_b[GRAPH_SHAPE_BYTES];

    if (!is_end(a, b) && !is_end(b, a))
        return graph_fail(node, err, "the shapes %s and %s do not go together",
                          graph_shape_text(a, of_a), graph_shape_text(b, of_b));
    node->shape = a->rank >= b->rank ? *a : *b;
    return STATUS_OK;
}

#define ARITHMETIC(its_name, its_help, looks_back)                                                 \
    const struct operation its_name##_operation = {                                                \
        .name = #its_name,                                                                         \
        .help = its_help,                                                                          \
        .inputs_least = 2,                                                                         \
        .inputs_most = 2,                                                                          \
        .keeps_inputs = looks_back,                                                                \
        .shape = shape,                                                                            \
    };

ARITHMETIC(add, "a + b, number by number.", false)
ARITHMETIC(subtract, "a - b, number by number.", false)
ARITHMETIC(multiply, "a b, number by number.", true)
ARITHMETIC(divide, "a / b, number by number.", true)
