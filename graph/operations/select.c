#include <string.h>

#include "graph/graph_shape.h"
#include "graph/operations/axes.h"
#include "graph/operations/loops.h"
#include "graph/operations/operations.h"

/*
 * gather(x, places, axis): some places along an axis, in any order. part(x, number, parts, axis):
 * one of as many alike parts, which split(x, parts) of a definition gives all of.
 */

#define AXIS                                                                                       \
    {                                                                                              \
        .name = "axis", .type = ARGUMENT_WHOLE, .least = -GRAPH_RANK_MAX,                          \
        .most = GRAPH_RANK_MAX - 1, .number = -1, .help = "The axis; -1 is the last."              \
    }

static const struct operation_argument gather_arguments[] = {
    {.name = "places",
     .type = ARGUMENT_LIST,
     .least = -(double)GRAPH_FLOATS_MAX,
     .most = GRAPH_FLOATS_MAX,
     .is_needed = true,
     .help = "Places along the axis, from 0, or from the last by -1, such as [2, 0]."},
    AXIS,
    {.name = NULL},
};
static const struct operation_argument part_arguments[] = {
    {.name = "number",
     .type = ARGUMENT_WHOLE,
     .most = GRAPH_FLOATS_MAX,
     .is_needed = true,
     .help = "Number of the part, from 0."},
    {.name = "parts",
     .type = ARGUMENT_WHOLE,
     .least = 1,
     .most = GRAPH_FLOATS_MAX,
     .is_needed = true,
     .help = "How many parts there are."},
    AXIS,
    {.name = NULL},
};

/* The value's places along the axis: `count` blocks, of which number i is block at(i) of x. */
struct choice {
    size_t outer, size, count, block; /* runs along the axis; places of x; of the value; floats */
};

static uint32_t axis_of(const struct graph *graph, const struct graph_node *node)
{
    return axis_of_rank((int)graph_argument(node, "axis")->number,
                        graph_input(graph, node, 0)->shape.rank);
}

static enum status begin_shape(struct graph *graph, struct graph_node *node, uint32_t *axis,
                               struct error *err)
{
    const struct graph_shape *x = &graph_input(graph, node, 0)->shape;
    char shape[GRAPH_SHAPE_BYTES];

    *axis = axis_of(graph, node);
    node->shape = *x;
    node->is_sequence &= *axis > 0;
    if (*axis < x->rank)
        return STATUS_OK;
    return graph_fail(node, err, "%s has no axis %d", graph_shape_text(x, shape),
                      (int)graph_argument(node, "axis")->number);
}

static enum status gather_shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const struct graph_argument *places = graph_argument(node, "places");
    char shape[GRAPH_SHAPE_BYTES];
    uint32_t axis;

    TRY(begin_shape(graph, node, &axis, err));
    for (uint32_t i = 0; i < places->list_count; i++)
        if (places->list[i] >= node->shape.sizes[axis] ||
            places->list[i] < -(double)node->shape.sizes[axis])
            return graph_fail(node, err, "%s has no place %.0f along axis %u",
                              graph_shape_text(&node->shape, shape), places->list[i], axis);
    node->shape.sizes[axis] = places->list_count;
    return STATUS_OK;
}

static enum status part_shape(struct graph *graph, struct graph_node *node, struct error *err)
{
    const uint32_t parts = (uint32_t)graph_argument(node, "parts")->number;
    const double number = graph_argument(node, "number")->number;
    char shape[GRAPH_SHAPE_BYTES];
    uint32_t axis;

    TRY(begin_shape(graph, node, &axis, err));
    if (!(number < parts))
        return graph_fail(node, err, "of %u parts none is number %.0f", parts, number);
    if (node->shape.sizes[axis] % parts != 0)
        return graph_fail(node, err, "%s has no %u alike parts along axis %u",
                          graph_shape_text(&node->shape, shape), parts, axis);
    node->shape.sizes[axis] /= parts;
    return STATUS_OK;
}

static struct choice choice_of(const struct operation_call *call)
{
    const struct graph_shape *x = &graph_input(call->graph, call->node, 0)->shape;
    const uint32_t axis = axis_of(call->graph, call->node);
    struct choice choice = {call->n, x->sizes[axis], call->node->shape.sizes[axis], 1};

    for (uint32_t i = 0; i < x->rank; i++)
        *(i < axis ? &choice.outer : &choice.block) *= i == axis ? 1 : x->sizes[i];
    return choice;
}

/* The place of x that is place i of the value. */
static size_t place_at(const struct operation_call *call, const struct choice *choice, size_t i)
{
    const struct graph_argument *arguments = call->node->arguments;
    const double place = arguments[0].list[i % GRAPH_LIST_MAX];

    if (call->node->operation == &part_operation)
        return (size_t)arguments[0].number * choice->count + i;
    return place < 0 ? choice->size - (size_t)-place : (size_t)place;
}

static void forward(const struct operation_call *call)
{
    const struct choice choice = choice_of(call);
    float *to = call->value;

    for (size_t k = 0; k < choice.outer; k++)
        for (size_t i = 0; i < choice.count; i++, to += choice.block)
            memcpy(to,
                   call->inputs[0] + (k * choice.size + place_at(call, &choice, i)) * choice.block,
                   choice.block * sizeof *to);
}

static void backward(const struct operation_call *call)
{
    const struct choice choice = choice_of(call);
    const float *from = call->delta;

    for (size_t k = 0; call->deltas[0] && k < choice.outer; k++)
        for (size_t i = 0; i < choice.count; i++, from += choice.block)
            add_to(call->deltas[0] + (k * choice.size + place_at(call, &choice, i)) * choice.block,
                   from, choice.block);
}

#define SELECTION(its_name, its_help)                                                              \
    const struct operation its_name##_operation = {                                                \
        .name = #its_name,                                                                         \
        .help = its_help,                                                                          \
        .arguments = its_name##_arguments,                                                         \
        .inputs_least = 1,                                                                         \
        .inputs_most = 1,                                                                          \
        .shape = its_name##_shape,                                                                 \
        .forward = forward,                                                                        \
        .backward = backward,                                                                      \
    };

SELECTION(gather, "Some places along one axis, in any order.")
SELECTION(part, "One of alike parts along one axis.")
