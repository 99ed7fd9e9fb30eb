#include "graph/graph_plan.h"

#include <stdlib.h>
#include <string.h>

#include "graph/operation.h"

#define ALIGNED_FLOATS 16 /* 64 bytes: a line of the cache, and the widest vector */

/* Something that lies in the memory for some steps. */
struct piece {
    size_t floats, place;
    uint32_t from, to;     /* steps, both included */
    struct piece *lies_in; /* the piece whose place it has */
    size_t *placed;        /* where its place goes to */
};

struct planning {
    const struct graph *graph;
    uint32_t rows;
    bool learns;
    struct piece *values, *deltas, *kept; /* (node_count) */
    struct graph_place *places;
};

static uint32_t backward_step(const struct planning *planning, uint32_t node)
{
    return 2 * planning->graph->node_count - 1 - node;
}

static size_t floats_of(const struct planning *planning, uint32_t a_row)
{
    const size_t floats = (size_t)planning->rows * a_row;

    return (floats + ALIGNED_FLOATS - 1) / ALIGNED_FLOATS * ALIGNED_FLOATS;
}

/* Is its backward computed? A node that is there for its width alone has no gradient. */
static bool goes_back(const struct planning *planning, const struct graph_node *node)
{
    return planning->learns && node->is_learned && node->is_minimised;
}

/* ---- when each piece is there ---- */

static void extend(struct piece *piece, uint32_t step)
{
    if (step > piece->to)
        piece->to = step;
}

/* All features of a row, in their order, lie there already. */
static bool takes_features(const struct graph *graph, const struct graph_node *node)
{
    return slice_is(slice_of(node->operation->name), "numbers") &&
           node->size == graph->row.features;
}

static void begin_node(struct planning *planning, uint32_t i)
{
    const struct graph_node *node = &planning->graph->nodes[i];
    const bool is_asked_for = i == planning->graph->outputs[0] || i == planning->graph->loss;
    struct piece *value = &planning->values[i], *delta = &planning->deltas[i];

    planning->places[i].takes_features = takes_features(planning->graph, node);
    value->from = value->to = i;
    if (node->shape.type == GRAPH_FLOATS && !planning->places[i].takes_features) {
        value->floats = floats_of(planning, node->size);
        value->placed = &planning->places[i].value;
    }
    if (is_asked_for)
        extend(value, planning->graph->node_count);
    if (!goes_back(planning, node))
        return;
    if (node->operation->keeps_value)
        extend(value, backward_step(planning, i));
    delta->floats = floats_of(planning, node->size);
    delta->placed = &planning->places[i].delta;
    delta->to = delta->from = backward_step(planning, i);
    if (i == graph_minimised(planning->graph))
        delta->from = planning->graph->node_count;
    if (node->kept > 0) {
        planning->kept[i] = (struct piece){.floats = floats_of(planning, node->kept),
                                           .from = i,
                                           .to = backward_step(planning, i),
                                           .placed = &planning->places[i].kept};
    }
}

/* The node looks at its inputs, and gives them gradients. */
static void take_inputs(struct planning *planning, uint32_t i)
{
    const struct graph_node *node = &planning->graph->nodes[i];

    for (uint32_t j = 0; j < node->input_count; j++) {
        struct piece *delta = &planning->deltas[node->inputs[j]];

        extend(&planning->values[node->inputs[j]], i);
        if (!goes_back(planning, node))
            continue;
        if (node->operation->keeps_inputs)
            extend(&planning->values[node->inputs[j]], backward_step(planning, i));
        if (backward_step(planning, i) < delta->from)
            delta->from = backward_step(planning, i);
    }
}

/* ---- what lies where another piece does ---- */

static struct piece *root_of(struct piece *piece)
{
    while (piece->lies_in)
        piece = piece->lies_in;
    return piece;
}

static void join(struct piece *piece, struct piece *other)
{
    struct piece *root = root_of(other);

    piece->lies_in = root;
    extend(root, piece->to);
    if (piece->from < root->from)
        root->from = piece->from;
}

static void place_in_place(struct planning *planning, uint32_t i)
{
    const struct graph_node *node = &planning->graph->nodes[i];
    const uint32_t input = node->input_count > 0 ? node->inputs[0] : 0;
    struct piece *before = &planning->values[input];

    if (!node->is_used || !node->operation->is_in_place)
        return;
    if (before->placed && root_of(before)->to == i)
        join(&planning->values[i], before);
    if (planning->deltas[i].placed && planning->deltas[input].placed &&
        planning->graph->nodes[input].takers == 1)
        join(&planning->deltas[input], &planning->deltas[i]);
}

/* ---- places ---- */

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *x = *(struct piece *const *)a, *y = *(struct piece *const *)b;

    if (x->floats != y->floats)
        return x->floats < y->floats ? 1 : -1;
    return (x->from > y->from) - (x->from < y->from);
}

static bool are_together(const struct piece *a, const struct piece *b)
{
    return a->from <= b->to && b->from <= a->to;
}

/* The lowest place where no piece lies at the same time; `placed` ascend by place. */
static size_t find_place(struct piece *const *placed, size_t count, const struct piece *piece)
{
    size_t place = 0;

    for (size_t i = 0; i < count; i++) {
        if (!are_together(placed[i], piece) || placed[i]->place + placed[i]->floats <= place)
            continue;
        if (placed[i]->place >= place + piece->floats)
            break;
        place = placed[i]->place + placed[i]->floats;
    }
    return place;
}

static void insert(struct piece **placed, size_t count, struct piece *piece)
{
    for (; count > 0 && placed[count - 1]->place > piece->place; count--)
        placed[count] = placed[count - 1];
    placed[count] = piece;
}

static size_t place_all(struct piece **sorted, size_t count, struct piece **placed)
{
    size_t floats = 0;

    qsort(sorted, count, sizeof *sorted, compare_pieces);
    for (size_t i = 0; i < count; i++) {
        sorted[i]->place = find_place(placed, i, sorted[i]);
        insert(placed, i, sorted[i]);
        if (sorted[i]->place + sorted[i]->floats > floats)
            floats = sorted[i]->place + sorted[i]->floats;
    }
    return floats;
}

static size_t scratch_most(const struct graph *graph)
{
    size_t most = 0;

    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].scratch > most)
            most = graph->nodes[i].scratch;
    return most;
}

static enum status check_memory(const struct graph_plan *plan, uint32_t rows, struct error *err)
{
    if (plan->floats <= GRAPH_MEMORY_MAX / sizeof(float))
        return STATUS_OK;
    fail(err, STATUS_LIMIT,
         "the values of %u rows in the graph take %llu bytes, at most %llu can be", rows,
         (unsigned long long)plan->floats * sizeof(float), (unsigned long long)GRAPH_MEMORY_MAX);
    return error_hint(err, "Use smaller shapes in the graph.");
}

enum status graph_plan_make(const struct graph *graph, uint32_t rows, bool learns,
                            struct arena *arena, struct graph_plan *plan, struct error *err)
{
    const uint32_t nodes = graph->node_count;
    struct piece *pieces = calloc(3 * (size_t)nodes, sizeof *pieces);
    struct piece **lists = calloc(6 * (size_t)nodes, sizeof *lists);
    struct planning planning = {.graph = graph, .rows = rows, .learns = learns};
    const struct graph_place nowhere = {GRAPH_PLAN_NONE, GRAPH_PLAN_NONE, GRAPH_PLAN_NONE, false};
    size_t count = 0;

    plan->places = planning.places = ARENA_NEW(arena, struct graph_place, nodes);
    if (!pieces || !lists || !plan->places) {
        free(pieces);
        free(lists);
        return fail_no_memory(err);
    }
    planning.values = pieces;
    planning.deltas = pieces + nodes;
    planning.kept = pieces + 2 * (size_t)nodes;
    for (uint32_t i = 0; i < nodes; i++) {
        plan->places[i] = nowhere;
        if (graph->nodes[i].is_used)
            begin_node(&planning, i);
    }
    for (uint32_t i = 0; i < nodes; i++)
        if (graph->nodes[i].is_used)
            take_inputs(&planning, i);
    for (uint32_t i = 0; i < nodes; i++)
        place_in_place(&planning, i);
    for (size_t i = 0; i < 3 * (size_t)nodes; i++)
        if (pieces[i].placed && !pieces[i].lies_in)
            lists[count++] = &pieces[i];
    plan->scratch = place_all(lists, count, lists + 3 * (size_t)nodes);
    plan->floats = plan->scratch + scratch_most(graph);
    for (size_t i = 0; i < 3 * (size_t)nodes; i++)
        if (pieces[i].placed)
            *pieces[i].placed = root_of(&pieces[i])->place;
    free(pieces);
    free(lists);
    return check_memory(plan, rows, err);
}
