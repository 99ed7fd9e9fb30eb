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

struct gates {
    const char *name, *operator;
    uint32_t count;
    uint32_t places[4]; /* the place that each of ONNX's has among ours */
};

static const struct gates gates[] = {
    {"rnn", "RNN", 1, {0}},
    {"gru", "GRU", 3, {1, 0, 2}},      /* z r n */
    {"lstm", "LSTM", 4, {0, 2, 1, 3}}, /* i o f g */
};

static const struct gates *gates_of(const struct graph_node *node)
{
    const struct gates *found = gates;

    while (strcmp(found->name, node->operation->name) != 0)
        found++;
    return found;
}

/* ----- weights ----- */

/* (rows, gates, units) as (1, gates, units, rows), in ONNX's order of gates. */
static onnx_value turned(struct onnx_graph *graph, const struct graph_node *node,
                         uint32_t parameter)
{
    const struct graph_parameter *shape = &graph->graph->parameters[node->parameter + parameter];
    const float *weights = onnx_parameter(graph, node, parameter);
    const struct gates *order = gates_of(node);
    const uint32_t units = shape->width / order->count;
    const uint32_t sizes[] = {1, shape->width, shape->rows};
    float *to = ONNX_NEW(graph->walk, float, (size_t)shape->rows * shape->width);
    size_t at = 0;

    if (!to)
        return "";
    for (uint32_t gate = 0; gate < order->count; gate++)
        for (uint32_t unit = 0; unit < units; unit++)
            for (uint32_t row = 0; row < shape->rows; row++)
                to[at++] = weights[(size_t)row * shape->width + order->places[gate] * units + unit];
    return onnx_floats(graph->walk->file, to, sizes, 3);
}

/* Both biases side by side, (1, 2 gates). */
static onnx_value both_biases(struct onnx_graph *graph, const struct graph_node *node)
{
    const struct gates *order = gates_of(node);
    const uint32_t width = graph->graph->parameters[node->parameter].width;
    const uint32_t units = width / order->count, sizes[] = {1, 2 * width};
    float *to = ONNX_NEW(graph->walk, float, 2 * (size_t)width);
    size_t at = 0;

    if (!to)
        return "";
    for (uint32_t parameter = 1; parameter <= 3; parameter += 2)
        for (uint32_t gate = 0; gate < order->count; gate++, at += units)
            memcpy(to + at, onnx_parameter(graph, node, parameter) + order->places[gate] * units,
                   units * sizeof *to);
    return onnx_floats(graph->walk->file, to, sizes, 2);
}

/* ----- steps that are not there ----- */

struct steps {
    onnx_value order;  /* (N, T): those that are there, and behind them the others; NULL: all are */
    onnx_value counts; /* (N, T): how many are there up to each */
    onnx_value length; /* (N), int32: how many are there */
};

/* (N, T): 1 where a step is there. NULL: all are. */
static onnx_value find_steps(struct onnx_graph *graph, const struct graph_node *node,
                             uint32_t count)
{
    const struct graph_node *input = graph_input(graph->graph, node, 0);
    const uint32_t features = graph->graph->row.features;
    static const int64_t beside[] = {0, 0, 0, 1};
    int64_t *places = ONNX_NEW(graph->walk, int64_t, count);
    const struct graph_column *columns;
    onnx_value values[2];
    struct onnx_node *made;
    bool lacks = false;

    if (!input->is_sequence || input->mask == GRAPH_NONE || !places)
        return NULL;
    columns = graph->graph->row.columns + graph->graph->nodes[input->mask].first_column;
    for (uint32_t i = 0; i < count; i++) {
        const bool may_lack = columns[i].dense_count > 1;

        places[i] = may_lack ? columns[i].dense + 1 : features; /* a column of zeros */
        lacks |= may_lack;
    }
    if (!lacks)
        return NULL;
    values[0] = onnx_step(graph, "Pad", graph->features, onnx_list(graph, beside, 4));
    values[1] = onnx_list(graph, places, count);
    made = onnx_node_new(graph->walk->file, "", "Gather", values, 2);
    onnx_set_integer(graph->walk->file, made, "axis", 1);
    return onnx_step(graph, "Sub", onnx_float(graph, 1), onnx_node_value(made));
}

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
    const onnx_value is_there = find_steps(graph, node, count);
    struct onnx_node *sum;
    struct steps steps = {0};
    onnx_value values[2];

    if (!is_there)
        return steps;
    steps.order = order_steps(graph, is_there, count);
    values[0] = is_there;
    values[1] = onnx_list(graph, &along, 1);
    steps.counts =
        onnx_cast(graph->walk->file,
                  onnx_step(graph, "CumSum", is_there, onnx_list(graph, &along, 1)), ONNX_INT64);
    sum = onnx_node_new(graph->walk->file, "", "ReduceSum", values, 2);
    onnx_set_integer(graph->walk->file, sum, "keepdims", 0);
    steps.length = onnx_cast(graph->walk->file, onnx_node_value(sum), ONNX_INT32);
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

static const int64_t steps_and_rows[] = {1, 0, 2};

/* States (T, 1, N, units) as (N, T, units), where a step that is not there has the state before it.
 */
static onnx_value all_states(struct onnx_graph *graph, onnx_value states, const struct steps *steps,
                             uint32_t count, uint32_t units)
{
    static const int64_t direction = 1, before[] = {0, 1, 0, 0, 0, 0};

    states = onnx_step(graph, "Squeeze", states, onnx_list(graph, &direction, 1));
    states = onnx_turned(graph, states, steps_and_rows, 3);
    if (!steps->order)
        return states;
    return moved(graph, onnx_step(graph, "Pad", states, onnx_list(graph, before, 6)), steps->counts,
                 count, units);
}

static onnx_value write_recurrent(struct onnx_graph *graph, const struct graph_node *node)
{
    static const int64_t direction = 0;
    const struct graph_shape *x = &graph_input(graph->graph, node, 0)->shape;
    const uint32_t units = graph_shape_last(&node->shape);
    const struct steps steps = steps_of(graph, node, x->sizes[0]);
    onnx_value values[5] = {onnx_input_of(graph, node, 0)}, last;
    struct onnx_node *made;

    if (steps.order)
        values[0] = moved(graph, values[0], steps.order, x->sizes[0], x->sizes[1]);
    values[0] = onnx_turned(graph, values[0], steps_and_rows, 3);
    values[1] = turned(graph, node, 0);
    values[2] = turned(graph, node, 2);
    values[3] = both_biases(graph, node);
    values[4] = steps.length;
    made = onnx_node_new(graph->walk->file, "", gates_of(node)->operator, values,
                         steps.length ? 5 : 4);
    onnx_set_integer(graph->walk->file, made, "hidden_size", units);
    if (strcmp(gates_of(node)->operator, "GRU") == 0)
        onnx_set_integer(graph->walk->file, made, "linear_before_reset", 1);
    last = onnx_node_next(graph->walk->file, made);
    if (node->shape.rank == 2)
        return all_states(graph, onnx_node_value(made), &steps, x->sizes[0], units);
    return onnx_step(graph, "Squeeze", last, onnx_list(graph, &direction, 1));
}

const struct onnx_operation onnx_recurrent[] = {
    {"rnn", "units sequences", write_recurrent},
    {"gru", "units sequences", write_recurrent},
    {"lstm", "units sequences", write_recurrent},
    {.name = NULL},
};
