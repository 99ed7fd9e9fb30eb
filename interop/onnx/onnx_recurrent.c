/*
 * Recurrent layers. ONNX has steps in front of the rows, and takes rows of fewer steps by their
 * count. Ours lack any steps, mostly the first ones; so the steps that a row has are moved to its
 * front, and the states after them back to where the steps were:
 *
 *     is there    0 0 1 0 1    order of steps  2 4 0 1 3     states after each  s2 s4 - - -
 *     count       0 0 1 1 2                                  state by count     0 0 s2 s2 s4
 */
#include "interop/onnx/onnx_recurrent.h"

#include "graph/graph_shape.h"
#include "graph/operation.h"
#include "interop/onnx/onnx_recurrent_gates.h"
#include "interop/onnx/onnx_steps.h"

static const struct onnx_gates *gates_of(const struct graph_node *node)
{
    const struct onnx_gates *found = onnx_gates;

    while (strcmp(found->name, node->operation->name) != 0)
        found++;
    return found;
}

static bool goes_both_ways(const struct graph_node *node)
{
    return slice_is(graph_argument(node, "direction")->text, "both");
}

static bool goes_back(const struct graph_node *node)
{
    return slice_is(graph_argument(node, "direction")->text, "backward");
}

static uint32_t ways_of(const struct graph_node *node)
{
    return goes_both_ways(node) ? 2 : 1;
}

/* ----- weights ----- */

/* Each way's (rows, gates, units) as (ways, gates, units, rows), in ONNX's order of gates. */
static onnx_value turned(struct onnx_graph *graph, const struct graph_node *node,
                         uint32_t parameter)
{
    const struct graph_parameter *shape = &graph->graph->parameters[node->parameter + parameter];
    const struct onnx_gates *order = gates_of(node);
    const uint32_t units = shape->width / order->count, ways = ways_of(node);
    const uint32_t sizes[] = {ways, shape->width, shape->rows};
    float *to = ONNX_NEW(graph->walk, float, (size_t)ways * shape->rows * shape->width);
    size_t at = 0;

    if (!to)
        return "";
    for (uint32_t way = 0; way < ways; way++) {
        const float *weights = onnx_parameter(graph, node, way * ONNX_WAY_PARAMETERS + parameter);

        for (uint32_t gate = 0; gate < order->count; gate++)
            for (uint32_t unit = 0; unit < units; unit++)
                for (uint32_t row = 0; row < shape->rows; row++)
                    to[at++] =
                        weights[(size_t)row * shape->width + order->places[gate] * units + unit];
    }
    return onnx_floats(graph->walk->file, to, sizes, 3);
}

/* Both biases side by side, (ways, 2 gates). */
static onnx_value both_biases(struct onnx_graph *graph, const struct graph_node *node)
{
    const struct onnx_gates *order = gates_of(node);
    const uint32_t width = graph->graph->parameters[node->parameter].width;
    const uint32_t units = width / order->count, sizes[] = {ways_of(node), 2 * width};
    float *to = ONNX_NEW(graph->walk, float, 2 * (size_t)width * sizes[0]);
    size_t at = 0;

    if (!to)
        return "";
    for (uint32_t parameter = 1; parameter < sizes[0] * ONNX_WAY_PARAMETERS; parameter += 2)
        for (uint32_t gate = 0; gate < order->count; gate++, at += units)
            memcpy(to + at, onnx_parameter(graph, node, parameter) + order->places[gate] * units,
                   units * sizeof *to);
    return onnx_floats(graph->walk->file, to, sizes, 2);
}

/* ----- steps that are not there ----- */

struct steps {
    onnx_value order;  /* (N, T): those that are there, and behind them the others; NULL: all are */
    onnx_value counts; /* (N, T): how many are there up to each, */
    onnx_value before; /* and before it: the place that the first one from it on has in front */
    onnx_value length; /* (N), int32: how many are there */
};

/* Steps that are there come first, each kind in its order: by the greatest of 2 T for a step that
 * is there, less its place. */
static onnx_value order_steps(struct onnx_graph *graph, onnx_value is_there, uint32_t count)
{
    const int64_t all = count;
    float *places = ONNX_NEW(graph->walk, float, count);
    onnx_value keys, values[2];
    struct onnx_node *made;

    if (!places)
        return "";
    for (uint32_t i = 0; i < count; i++)
        places[i] = (float)i;
    keys = onnx_step(graph, "Mul", is_there, onnx_float(graph, (float)(2 * count)));
    values[0] = onnx_step(graph, "Sub", keys, onnx_floats(graph->walk->file, places, &count, 1));
    values[1] = onnx_list(graph, &all, 1);
    made = onnx_node_new(graph->walk->file, "", "TopK", values, 2);
    return onnx_node_next(graph->walk->file, made);
}

static struct steps steps_of(struct onnx_graph *graph, const struct graph_node *node,
                             uint32_t count)
{
    static const int64_t along = 1;
    const onnx_value is_there = onnx_steps_there(graph, node, 0);
    struct onnx_file *file = graph->walk->file;
    struct steps steps = {0};
    onnx_value counts, sum;

    if (!is_there)
        return steps;
    steps.order = order_steps(graph, is_there, count);
    counts = onnx_step(graph, "CumSum", is_there, onnx_list(graph, &along, 1));
    steps.counts = onnx_cast(file, counts, ONNX_INT64);
    steps.before = onnx_cast(file, onnx_step(graph, "Sub", counts, is_there), ONNX_INT64);
    sum = onnx_reduced(graph, "ReduceSum", is_there, &along, 1, false);
    steps.length = onnx_cast(file, sum, ONNX_INT32);
    return steps;
}

/* The steps of x (N, *, width) that places (N, T) name: (N, T, width). */
static onnx_value moved(struct onnx_graph *graph, onnx_value x, onnx_value places, uint32_t count,
                        uint32_t width)
{
    const uint32_t narrow[] = {count, 1};
    const int64_t wide[] = {1, count, width};
    const onnx_value values[] = {x,
                                 onnx_step(graph, "Expand", onnx_shaped(graph, places, narrow, 2),
                                           onnx_list(graph, wide, 3))};
    struct onnx_node *made = onnx_node_new(graph->walk->file, "", "GatherElements", values, 2);

    onnx_set_integer(graph->walk->file, made, "axis", 1);
    return onnx_node_value(made);
}

/* ----- layers ----- */

/* States (T, ways, N, units) of a way as (N, T, units), where a step that is not there has the
 * state before it, or, on the way back, behind it; zeros where there is none. */
static onnx_value way_states(struct onnx_graph *graph, onnx_value states, uint32_t way,
                             bool is_back, const struct steps *steps,
                             const struct graph_shape *shape)
{
    static const int64_t rows_first[] = {1, 0, 2}, direction = 1;
    static const int64_t zeros[][6] = {{0, 1, 0, 0, 0, 0}, {0, 0, 0, 0, 1, 0}};

    states = onnx_run_of(graph, states, way, way + 1, direction);
    states = onnx_step(graph, "Squeeze", states, onnx_list(graph, &direction, 1));
    states = onnx_turned(graph, states, rows_first, 3);
    if (!steps->order)
        return states;
    return moved(graph, onnx_step(graph, "Pad", states, onnx_list(graph, zeros[is_back], 6)),
                 is_back ? steps->before : steps->counts, shape->sizes[0], shape->sizes[1]);
}

static onnx_value all_states(struct onnx_graph *graph, const struct graph_node *node,
                             onnx_value states, const struct steps *steps)
{
    const uint32_t ways = ways_of(node);
    struct graph_shape one_way = node->shape;
    onnx_value values[2];

    one_way.sizes[1] /= ways;
    for (uint32_t way = 0; way < ways; way++)
        values[way] = way_states(graph, states, way, way == 1 || goes_back(node), steps, &one_way);
    return ways == 2 ? onnx_beside(graph, values, 2, 2) : values[0];
}

/* (ways, N, units) as (N, ways units) */
static onnx_value last_states(struct onnx_graph *graph, const struct graph_node *node,
                              onnx_value states)
{
    static const int64_t rows_first[] = {1, 0, 2};

    return onnx_shaped(graph, onnx_turned(graph, states, rows_first, 3), node->shape.sizes, 1);
}

static onnx_value write_recurrent(struct onnx_graph *graph, const struct graph_node *node)
{
    static const int64_t steps_first[] = {1, 0, 2};
    const struct graph_shape *x = &graph_input(graph->graph, node, 0)->shape;
    const struct steps steps = steps_of(graph, node, x->sizes[0]);
    onnx_value values[5] = {onnx_input_of(graph, node, 0)}, last;
    struct onnx_file *file = graph->walk->file;
    struct onnx_node *made;

    if (steps.order)
        values[0] = moved(graph, values[0], steps.order, x->sizes[0], x->sizes[1]);
    values[0] = onnx_turned(graph, values[0], steps_first, 3);
    values[1] = turned(graph, node, 0);
    values[2] = turned(graph, node, 2);
    values[3] = both_biases(graph, node);
    values[4] = steps.length;
    made = onnx_node_new(file, "", gates_of(node)->operator, values, steps.length ? 5 : 4);
    onnx_set_integer(file, made, "hidden_size", graph_shape_last(&node->shape) / ways_of(node));
    if (ways_of(node) == 2)
        onnx_set_string(file, made, "direction", SLICE("bidirectional"));
    else if (goes_back(node))
        onnx_set_string(file, made, "direction", SLICE("reverse"));
    if (strcmp(gates_of(node)->operator, "GRU") == 0)
        onnx_set_integer(file, made, "linear_before_reset", 1);
    last = onnx_node_next(file, made);
    return node->shape.rank == 2 ? all_states(graph, node, onnx_node_value(made), &steps)
                                 : last_states(graph, node, last);
}

const struct onnx_operation onnx_recurrent[] = {
    {"rnn", "units sequences direction", write_recurrent},
    {"gru", "units sequences direction", write_recurrent},
    {"lstm", "units sequences direction", write_recurrent},
    {.name = NULL},
};
