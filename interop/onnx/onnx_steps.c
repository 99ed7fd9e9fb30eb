/* Steps: which a row has, means of them, and attention, which passes over those that it lacks. */
#include "interop/onnx/onnx_steps.h"

#include "graph/operation.h"

#include <math.h>

#define FAR (-3e38f) /* less than any number that counts */

/* ----- steps that are there ----- */

/* Words: those behind the last have the id -1. */
static onnx_value words_there(struct onnx_graph *graph, const struct graph_column *column)
{
    static const int64_t none = -1;
    const onnx_value ids =
        onnx_run_of(graph, graph->ids, column->ids, column->ids + column->id_count, 1);

    return onnx_cast(graph->walk->file,
                     onnx_step(graph, "Greater", ids, onnx_list(graph, &none, 1)), ONNX_FLOAT);
}

/* Numbers: where rows may lack one, a feature behind it says so. */
static onnx_value numbers_there(struct onnx_graph *graph, const struct graph_column *columns,
                                uint32_t count)
{
    static const int64_t beside[] = {0, 0, 0, 1};
    int64_t *places = ONNX_NEW(graph->walk, int64_t, count);
    bool lacks = false;
    onnx_value all;

    if (!places)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        const bool may_lack = columns[i].dense_count > 1;

        places[i] = may_lack ? columns[i].dense + 1 : graph->graph->row.features;
        lacks |= may_lack;
    }
    if (!lacks)
        return NULL;
    all = onnx_step(graph, "Pad", graph->features, onnx_list(graph, beside, 4)); /* zeros */
    return onnx_step(graph, "Sub", onnx_float(graph, 1),
                     onnx_places_of(graph, all, places, count, 1));
}

onnx_value onnx_steps_there(struct onnx_graph *graph, const struct graph_node *node, uint32_t i)
{
    const struct graph_node *input = graph_input(graph->graph, node, i), *mask;
    const struct graph_column *columns;

    if (!input->is_sequence || input->mask == GRAPH_NONE)
        return NULL;
    mask = &graph->graph->nodes[input->mask];
    columns = graph->graph->row.columns + mask->first_column;
    return mask->shape.type == GRAPH_IDS ? words_there(graph, columns)
                                         : numbers_there(graph, columns, input->shape.sizes[0]);
}

/* ----- pools ----- */

static const int64_t along_steps = 1;

/* Where a step is there, (N, steps, 1), as a condition. */
static onnx_value condition_of(struct onnx_graph *graph, onnx_value is_there, uint32_t steps)
{
    const uint32_t sizes[] = {steps, 1};

    return onnx_cast(graph->walk->file, onnx_shaped(graph, is_there, sizes, 2), ONNX_BOOL);
}

static onnx_value write_steps_mean(struct onnx_graph *graph, const struct graph_node *node)
{
    const uint32_t steps = graph_input(graph->graph, node, 0)->shape.sizes[0];
    const onnx_value is_there = onnx_steps_there(graph, node, 0);
    onnx_value x = onnx_input_of(graph, node, 0), count;

    if (!is_there)
        return onnx_reduced(graph, "ReduceMean", x, &along_steps, 1, false);
    x = onnx_apply(graph->walk->file, "Where", condition_of(graph, is_there, steps), x,
                   onnx_float(graph, 0));
    count =
        onnx_step(graph, "Max", onnx_reduced(graph, "ReduceSum", is_there, &along_steps, 1, true),
                  onnx_float(graph, 1));
    return onnx_step(graph, "Div", onnx_reduced(graph, "ReduceSum", x, &along_steps, 1, false),
                     count);
}

static onnx_value write_steps_max(struct onnx_graph *graph, const struct graph_node *node)
{
    const uint32_t steps = graph_input(graph->graph, node, 0)->shape.sizes[0];
    const onnx_value is_there = onnx_steps_there(graph, node, 0);
    onnx_value x = onnx_input_of(graph, node, 0), has_any;

    if (!is_there)
        return onnx_reduced(graph, "ReduceMax", x, &along_steps, 1, false);
    x = onnx_apply(graph->walk->file, "Where", condition_of(graph, is_there, steps), x,
                   onnx_float(graph, FAR));
    x = onnx_reduced(graph, "ReduceMax", x, &along_steps, 1, false);
    has_any =
        onnx_cast(graph->walk->file,
                  onnx_reduced(graph, "ReduceMax", is_there, &along_steps, 1, true), ONNX_BOOL);
    return onnx_apply(graph->walk->file, "Where", has_any, x, onnx_float(graph, 0));
}

static onnx_value write_positions(struct onnx_graph *graph, const struct graph_node *node)
{
    return onnx_step(graph, "Add", onnx_input_of(graph, node, 0),
                     onnx_parameter_shaped(graph, node, 0, node->shape.sizes, node->shape.rank));
}

/* ----- attention ----- */

/* (N, steps, heads * width) as (N, heads, steps, width), or with the last two turned. */
static onnx_value heads_of(struct onnx_graph *graph, const struct graph_node *node, uint32_t i,
                           uint32_t heads, bool is_turned)
{
    static const int64_t orders[][4] = {{0, 2, 1, 3}, {0, 2, 3, 1}};
    const struct graph_shape *x = &graph_input(graph->graph, node, i)->shape;
    const uint32_t sizes[] = {x->sizes[0], heads, x->sizes[1] / heads};

    return onnx_turned(graph, onnx_shaped(graph, onnx_input_of(graph, node, i), sizes, 3),
                       orders[is_turned], 4);
}

/* (steps, steps): is a step the query's own, or before it? */
static onnx_value looks_back(struct onnx_graph *graph, uint32_t steps)
{
    int64_t *places = ONNX_NEW(graph->walk, int64_t, steps);

    for (uint32_t i = 0; places && i < steps; i++)
        places[i] = i;
    return places
               ? onnx_step(graph, "LessOrEqual", onnx_integers(graph->walk->file, places, 0, steps),
                           onnx_integers(graph->walk->file, places, steps, 1))
               : "";
}

/* Which others count, a condition that goes with (N, heads, steps, others). NULL: all do. */
static onnx_value others_that_count(struct onnx_graph *graph, const struct graph_node *node,
                                    uint32_t others)
{
    const uint32_t sizes[] = {1, 1, others};
    onnx_value counts = onnx_steps_there(graph, node, 1), before;

    if (counts)
        counts = onnx_cast(graph->walk->file, onnx_shaped(graph, counts, sizes, 3), ONNX_BOOL);
    if (graph_argument(node, "causal")->number == 0)
        return counts;
    before = looks_back(graph, others);
    return counts ? onnx_step(graph, "And", counts, before) : before;
}

/* Where none counts the shares are 0. */
static onnx_value shares_of(struct onnx_graph *graph, const struct graph_node *node,
                            onnx_value scores, uint32_t others)
{
    const onnx_value counts = others_that_count(graph, node, others);

    if (!counts)
        return onnx_step_along(graph, "Softmax", scores, "axis", -1);
    scores = onnx_apply(graph->walk->file, "Where", counts, scores, onnx_float(graph, FAR));
    scores = onnx_step_along(graph, "Softmax", scores, "axis", -1);
    return onnx_apply(graph->walk->file, "Where", counts, scores, onnx_float(graph, 0));
}

static onnx_value write_attention(struct onnx_graph *graph, const struct graph_node *node)
{
    static const int64_t steps_and_heads[] = {0, 2, 1, 3};
    const uint32_t heads = (uint32_t)graph_argument(node, "heads")->number;
    const struct graph_shape *query = &graph_input(graph->graph, node, 0)->shape;
    const uint32_t others = graph_input(graph->graph, node, 1)->shape.sizes[0];
    const float scale = 1 / sqrtf((float)(query->sizes[1] / heads));
    onnx_value value = onnx_step(graph, "MatMul", heads_of(graph, node, 0, heads, false),
                                 heads_of(graph, node, 1, heads, true));

    value = onnx_step(graph, "Mul", value, onnx_float(graph, scale));
    value = onnx_step(graph, "MatMul", shares_of(graph, node, value, others),
                      heads_of(graph, node, 2, heads, false));
    return onnx_shaped(graph, onnx_turned(graph, value, steps_and_heads, 4), node->shape.sizes,
                       node->shape.rank);
}

const struct onnx_operation onnx_steps[] = {
    {"steps_mean", "", write_steps_mean},
    {"steps_max", "", write_steps_max},
    {"positions", "", write_positions},
    {"attention", "heads causal", write_attention},
    {.name = NULL},
};
