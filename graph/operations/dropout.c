#include "graph/graph_shape.h"
#include "graph/operations/operations.h"

/* dropout(x, rate): in training each number is 0 with that probability, and the others are larger.
 */

static const struct operation_argument arguments[] = {
    {.name = "rate",
     .type = ARGUMENT_REAL,
     .least = 0,
     .most = 0.99,
     .is_needed = true,
     .help = "Share of the numbers that are 0 in a step."},
    {.name = NULL},
};

static enum status shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    (void)err;
    node->shape = graph_input(graph, node, 0)->shape;
    node->kept = (uint32_t)graph_shape_size(&node->shape);
    return STATUS_OK;
}

const struct operation dropout_operation = {
    .name = "dropout",
    .help = "Leaves out numbers at random while it learns.",
    .arguments = arguments,
    .inputs_least = 1,
    .inputs_most = 1,
    .shape = shape,
};
