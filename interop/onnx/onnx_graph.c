#include "interop/onnx/onnx_graph.h"

#include "graph/operation.h"
#include "interop/onnx/onnx_functions.h"
#include "interop/onnx/onnx_ids.h"
#include "interop/onnx/onnx_layers.h"
#include "interop/onnx/onnx_recurrent.h"
#include "interop/onnx/onnx_steps.h"
#include "interop/onnx/onnx_windows.h"
#include "kinds/graph/graph_kind.h"
#include "kinds/graph/graph_model.h"

/* ----- what there is ----- */

static const struct onnx_operation *const lists[] = {onnx_ids,     onnx_layers, onnx_functions,
                                                     onnx_windows, onnx_steps,  onnx_recurrent};

static const struct onnx_operation *find(const struct graph_node *node)
{
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        for (const struct onnx_operation *found = lists[i]; found->name; found++)
            if (strcmp(found->name, node->operation->name) == 0)
                return found;
    return NULL;
}

static bool has_word(const char *words, const char *word)
{
    const size_t size = strlen(word);

    for (const char *at = words; (at = strstr(at, word)); at += size)
        if ((at == words || at[-1] == ' ') && (at[size] == 0 || at[size] == ' '))
            return true;
    return false;
}

static enum status check_node(const struct graph_node *node, struct error *err)
{
    const struct operation_argument *arguments = node->operation->arguments;
    const struct onnx_operation *found = find(node);

    if (node->shape.type == GRAPH_IDS) /* they are written by the calls that take them */
        return STATUS_OK;
    if (!found)
        return fail(err, STATUS_UNSUPPORTED,
                    "operation %s_%u of the model has no counterpart in an ONNX file",
                    node->operation->name, node->number);
    for (uint32_t i = 0; arguments && arguments[i].name; i++)
        if (node->arguments[i].is_set && !has_word(found->arguments, arguments[i].name))
            return fail(err, STATUS_UNSUPPORTED,
                        "argument %s of operation %s_%u has no counterpart in an ONNX file",
                        arguments[i].name, node->operation->name, node->number);
    return STATUS_OK;
}

/* Marks the nodes that what is returned depends on: a loss is no part of the file. */
static void find_needed(const struct graph *graph, bool *needed)
{
    memset(needed, 0, graph->node_count * sizeof *needed);
    needed[graph->outputs[0]] = true;
    for (uint32_t i = graph->node_count; i-- > 0;)
        for (uint32_t j = 0; needed[i] && j < graph->nodes[i].input_count; j++)
            needed[graph->nodes[i].inputs[j]] = true;
}

enum status onnx_graph_check(const struct model *model, struct error *err)
{
    const struct graph *graph;
    bool needed[GRAPH_NODES_MAX];

    if (model->kind != &graph_kind)
        return STATUS_OK;
    graph = graph_model_of(model)->graph;
    find_needed(graph, needed);
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (needed[i] && check_node(&graph->nodes[i], err) != STATUS_OK)
            return error_hint(err, "A model exported as ONNX has the operations that "
                                   "docs/export.md lists.");
    return STATUS_OK;
}

/* ----- for writers ----- */

const float *onnx_parameter(const struct onnx_graph *graph, const struct graph_node *node,
                            uint32_t i)
{
    return graph->elements[node->parameter + i];
}

onnx_value onnx_step(struct onnx_graph *graph, const char *operator, onnx_value a, onnx_value b)
{
    return onnx_apply(graph->walk->file, operator, a, b, NULL);
}

onnx_value onnx_step_along(struct onnx_graph *graph, const char *operator, onnx_value a,
                           const char *attribute, int64_t value)
{
    struct onnx_node *node = onnx_node_new(graph->walk->file, "", operator, & a, 1);

    onnx_set_integer(graph->walk->file, node, attribute, value);
    return onnx_node_value(node);
}

static const int64_t *copied(struct onnx_graph *graph, const int64_t *values, size_t count)
{
    int64_t *copy = ONNX_NEW(graph->walk, int64_t, count + 1);

    for (size_t i = 0; copy && i < count; i++)
        copy[i] = values[i];
    return copy;
}

onnx_value onnx_turned(struct onnx_graph *graph, onnx_value a, const int64_t *order, size_t count)
{
    struct onnx_node *node = onnx_node_new(graph->walk->file, "", "Transpose", &a, 1);
    const int64_t *copy = copied(graph, order, count);

    if (copy)
        onnx_set_integers(graph->walk->file, node, "perm", copy, count);
    return onnx_node_value(node);
}

onnx_value onnx_list(struct onnx_graph *graph, const int64_t *values, size_t count)
{
    const int64_t *copy = copied(graph, values, count);

    return copy ? onnx_integers(graph->walk->file, copy, 0, count) : "";
}

onnx_value onnx_shaped(struct onnx_graph *graph, onnx_value a, const uint32_t *sizes, uint32_t rank)
{
    int64_t shape[GRAPH_RANK_MAX + 1] = {0}; /* 0: as many as there are rows */

    for (uint32_t i = 0; i < rank; i++)
        shape[i + 1] = sizes[i];
    return onnx_step(graph, "Reshape", a, onnx_list(graph, shape, rank + 1));
}

onnx_value onnx_parameter_shaped(struct onnx_graph *graph, const struct graph_node *node,
                                 uint32_t i, const uint32_t *sizes, uint32_t rank)
{
    return onnx_floats(graph->walk->file, onnx_parameter(graph, node, i), sizes, rank);
}

onnx_value onnx_reduced(struct onnx_graph *graph, const char *operator, onnx_value a,
                        const int64_t *axes, size_t count, bool keeps)
{
    const onnx_value values[] = {a, onnx_list(graph, axes, count)};
    struct onnx_node *node = onnx_node_new(graph->walk->file, "", operator, values, 2);

    onnx_set_integer(graph->walk->file, node, "keepdims", keeps);
    return onnx_node_value(node);
}

onnx_value onnx_beside(struct onnx_graph *graph, const onnx_value *values, uint32_t count,
                       int64_t axis)
{
    struct onnx_node *node = onnx_node_new(graph->walk->file, "", "Concat", values, count);

    onnx_set_integer(graph->walk->file, node, "axis", axis);
    return onnx_node_value(node);
}

onnx_value onnx_run_of(struct onnx_graph *graph, onnx_value a, int64_t from, int64_t to,
                       int64_t axis)
{
    const onnx_value values[] = {a, onnx_list(graph, &from, 1), onnx_list(graph, &to, 1),
                                 onnx_list(graph, &axis, 1)};

    return onnx_node_value(onnx_node_new(graph->walk->file, "", "Slice", values, 4));
}

onnx_value onnx_places_of(struct onnx_graph *graph, onnx_value a, const int64_t *places,
                          size_t count, int64_t axis)
{
    const onnx_value values[] = {a, onnx_list(graph, places, count)};
    struct onnx_node *node = onnx_node_new(graph->walk->file, "", "Gather", values, 2);

    onnx_set_integer(graph->walk->file, node, "axis", axis);
    return onnx_node_value(node);
}

onnx_value onnx_float(struct onnx_graph *graph, float value)
{
    static const uint32_t one = 1;
    float *copy = ONNX_NEW(graph->walk, float, 1);

    if (!copy)
        return "";
    *copy = value;
    return onnx_floats(graph->walk->file, copy, &one, 1);
}

/* ----- the row ----- */

static void take_row(struct onnx_graph *graph, const struct formula *const *terms)
{
    const uint32_t features = graph->graph->row.features, ids = graph->graph->row.ids;
    struct onnx_walk *walk = graph->walk;
    struct onnx_place *places = ONNX_NEW(walk, struct onnx_place, (size_t)features + ids + 1);

    if (!places)
        return;
    onnx_place_all(walk, terms, features + ids, false, places);
    if (features > 0)
        graph->features = onnx_cast(walk->file, onnx_gather(walk, places, features), ONNX_FLOAT);
    if (ids > 0)
        graph->ids = onnx_cast(walk->file, onnx_gather(walk, places + features, ids), ONNX_INT64);
}

struct onnx_packed onnx_pack_graph(struct onnx_walk *walk, const struct formula *const *formulas,
                                   uint32_t count)
{
    const struct graph_model *model = graph_model_of(walk->program->model);
    const struct graph *graph = model->graph;
    struct onnx_graph written = {.walk = walk,
                                 .graph = graph,
                                 .elements = model->elements,
                                 .values = ONNX_NEW(walk, onnx_value, graph->node_count)};
    int64_t *outputs = ONNX_NEW(walk, int64_t, count);
    bool needed[GRAPH_NODES_MAX];
    onnx_value all;

    if (walk->failed)
        return (struct onnx_packed){"", 1, false};
    find_needed(graph, needed);
    take_row(&written, formulas[0]->terms);
    for (uint32_t i = 0; i < graph->node_count && !walk->failed; i++)
        if (needed[i] && graph->nodes[i].shape.type == GRAPH_FLOATS)
            written.values[i] = find(&graph->nodes[i])->write(&written, &graph->nodes[i]);
    if (walk->failed)
        return (struct onnx_packed){"", 1, false};
    for (uint32_t i = 0; i < count; i++)
        outputs[i] = formulas[i]->index;
    all = onnx_shaped(&written, written.values[graph->outputs[0]], &graph->row.outputs, 1);
    all = onnx_places_of(&written, all, outputs, count, 1);
    return (struct onnx_packed){onnx_cast(walk->file, all, ONNX_DOUBLE), count, false};
}
