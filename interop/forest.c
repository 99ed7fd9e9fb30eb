#include "interop/forest.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interop/forest_origins.h"

#define SET_CODES (TREE_SET_NUMBERS * 16) /* codes of a row of sets */

void forest_init(struct forest *forest)
{
    *forest = (struct forest){.estimator = NULL};
    text_init(&forest->trees, (size_t)TREES_MAX * TREE_NUMBERS * sizeof(float));
    text_init(&forest->nodes, (size_t)TREES_NODES_MAX * NODE_NUMBERS * sizeof(float));
    text_init(&forest->doubles, (size_t)TREES_NODES_MAX * sizeof(double));
    text_init(&forest->sets, (size_t)FOREST_SET_ROWS_MAX * TREE_SET_NUMBERS * sizeof(float));
}

void forest_deinit(struct forest *forest)
{
    text_deinit(&forest->trees);
    text_deinit(&forest->nodes);
    text_deinit(&forest->doubles);
    text_deinit(&forest->sets);
}

/* ----- sets ----- */

static enum status count_rows(const double *codes, size_t count, uint32_t *rows, struct error *err)
{
    *rows = 1; /* also of an empty set */
    for (size_t i = 0; i < count; i++) {
        if (!(codes[i] >= 0 && codes[i] < FOREST_CODES_MAX && codes[i] == floor(codes[i])))
            return fail(err, STATUS_CORRUPT, "%g is no code of a category", codes[i]);
        if ((uint32_t)codes[i] / SET_CODES >= *rows)
            *rows = (uint32_t)codes[i] / SET_CODES + 1;
    }
    return STATUS_OK;
}

enum status forest_add_set(struct forest *forest, const double *codes, size_t count, uint32_t *set,
                           uint32_t *set_rows, struct error *err)
{
    static const float none[TREE_SET_NUMBERS];
    float *first;

    TRY(count_rows(codes, count, set_rows, err));
    *set = forest->set_rows;
    if (*set_rows > FOREST_SET_ROWS_MAX - forest->set_rows)
        return fail(err, STATUS_LIMIT, "the sets of categories have codes as high as %u too often",
                    *set_rows * SET_CODES);
    for (uint32_t i = 0; i < *set_rows; i++)
        text_append(&forest->sets, (struct slice){(const char *)none, sizeof none});
    if (forest->sets.failed)
        return fail_no_memory(err);
    first = (float *)(void *)forest->sets.data + (size_t)*set * TREE_SET_NUMBERS;
    for (size_t i = 0; i < count; i++) {
        float *number = first + (size_t)codes[i] / 16;
        *number = (float)((uint32_t)*number | 1u << (uint32_t)codes[i] % 16);
    }
    forest->set_rows += *set_rows;
    return STATUS_OK;
}

/* ----- trees ----- */

static enum status check_node(const struct forest *forest, const struct forest_node *nodes,
                              uint32_t count, uint32_t i, struct error *err)
{
    const struct forest_node *node = &nodes[i];

    if (node->test == NODE_LEAF)
        return isfinite(node->value) ? STATUS_OK
                                     : fail(err, STATUS_CORRUPT, "node %u: its leaf value is %g", i,
                                            (double)node->value);
    if (node->feature >= forest->feature_count)
        return fail(err, STATUS_CORRUPT, "node %u: feature %u of %u", i, node->feature,
                    forest->feature_count);
    if (node->test == NODE_BELOW && isnan(node->value))
        return fail(err, STATUS_CORRUPT, "node %u: its threshold is no number", i);
    if (node->test == NODE_IS_IN && node->set_rows == 0)
        return fail(err, STATUS_CORRUPT, "node %u: it has no set of categories", i);
    if (node->left < 1 || node->right < 1 || node->left >= count || node->right >= count)
        return fail(err, STATUS_CORRUPT, "node %u: children %lld and %lld of %u nodes", i,
                    (long long)node->left, (long long)node->right, count);
    return STATUS_OK;
}

static float or_zero(float value)
{
    return isfinite(value) ? value : 0;
}

/* An infinite threshold that every number is below, or none, leaves the same sides to all numbers
 * but the greatest float. */
static float within_floats(float value)
{
    return isfinite(value) ? value : copysignf(FLT_MAX, value);
}

static void put_node(struct forest *forest, const struct forest_node *node, uint32_t left)
{
    const bool is_leaf = node->test == NODE_LEAF, has_set = node->test == NODE_IS_IN;
    const float numbers[NODE_NUMBERS] = {
        [NODE_TEST] = (float)node->test,
        [NODE_COLUMN] = is_leaf ? 0 : (float)node->feature,
        [NODE_VALUE] = has_set ? 0 : within_floats(node->value),
        [NODE_LEFT] = is_leaf ? 0 : (float)left,
        [NODE_MISSING_LEFT] = is_leaf ? 0 : (float)node->missing_left,
        [NODE_SET] = has_set ? (float)node->set : 0,
        [NODE_SET_ROWS] = has_set ? (float)node->set_rows : 0,
        [NODE_GAIN] = is_leaf ? 0 : or_zero(node->gain),
        [NODE_COVER] = or_zero(node->cover),
    };

    text_append(&forest->nodes, (struct slice){(const char *)numbers, sizeof numbers});
    if (forest->has_doubles)
        text_append(&forest->doubles,
                    (struct slice){(const char *)&node->exact, sizeof node->exact});
}

/* Level by level: `order` has the places that were reached, in the order of our nodes. */
static enum status walk(struct forest *forest, const struct forest_node *nodes, uint32_t count,
                        uint32_t *order, bool *is_reached, uint32_t *reached, struct error *err)
{
    *reached = 1;
    is_reached[0] = true;
    order[0] = 0;
    for (uint32_t i = 0; i < *reached; i++) {
        const struct forest_node *node = &nodes[order[i]];

        TRY(check_node(forest, nodes, count, order[i], err));
        put_node(forest, node, *reached);
        if (node->test == NODE_LEAF)
            continue;
        if (is_reached[node->left] || is_reached[node->right] || node->left == node->right)
            return fail(err, STATUS_CORRUPT, "node %u: a child of it has another parent", order[i]);
        is_reached[node->left] = is_reached[node->right] = true;
        order[(*reached)++] = (uint32_t)node->left;
        order[(*reached)++] = (uint32_t)node->right;
    }
    return STATUS_OK;
}

/* Negates the leaves of the tree that was added last. */
static void turn_leaves(struct forest *forest, uint32_t first, uint32_t count)
{
    float *nodes = (float *)(void *)forest->nodes.data + (size_t)first * NODE_NUMBERS;

    for (uint32_t i = 0; i < count; i++, nodes += NODE_NUMBERS)
        if (nodes[NODE_TEST] == NODE_LEAF) {
            nodes[NODE_VALUE] = -nodes[NODE_VALUE];
            if (forest->has_doubles)
                ((double *)(void *)forest->doubles.data)[first + i] *= -1;
        }
}

enum status forest_add_tree(struct forest *forest, const struct forest_node *nodes, uint32_t count,
                            uint32_t output, struct error *err)
{
    const float tree[TREE_NUMBERS] = {[TREE_FIRST_NODE] = (float)forest->node_count,
                                      [TREE_OUTPUT] = (float)(forest->joins_outputs ? 0 : output)};
    const uint32_t first = forest->node_count;
    uint32_t *order, reached = 0;
    bool *is_reached;
    enum status status;

    if (count == 0 || output >= forest->outputs)
        return fail(err, STATUS_CORRUPT, "a tree of %u nodes for output %u of %u", count, output,
                    forest->outputs);
    if (forest->tree_count == TREES_MAX || count > TREES_NODES_MAX - forest->node_count)
        return fail(err, STATUS_LIMIT, "a model has at most %u trees of together %u nodes",
                    TREES_MAX, TREES_NODES_MAX);
    order = calloc(count, sizeof *order);
    is_reached = calloc(count, sizeof *is_reached);
    status = order && is_reached ? walk(forest, nodes, count, order, is_reached, &reached, err)
                                 : fail_no_memory(err);
    free(order);
    free(is_reached);
    TRY(status);
    text_append(&forest->trees, (struct slice){(const char *)tree, sizeof tree});
    if (forest->trees.failed || forest->nodes.failed || forest->doubles.failed)
        return fail_no_memory(err);
    if (forest->joins_outputs && output == 0)
        turn_leaves(forest, first, reached);
    ((float *)(void *)
         forest->trees.data)[(size_t)forest->tree_count * TREE_NUMBERS + TREE_NODE_COUNT] =
        (float)reached;
    forest->tree_count++;
    forest->node_count += reached;
    return STATUS_OK;
}

/* ----- the model's arrays ----- */

static enum status keep(const struct text *floats, struct arena *arena, float **kept,
                        struct error *err)
{
    *kept = arena_alloc(arena, floats->size);
    if (!*kept)
        return fail_no_memory(err);
    if (floats->size > 0)
        memcpy(*kept, floats->data, floats->size);
    return STATUS_OK;
}

/* The column of each feature: one of ids for those with words, one of dense for the others. */
static float *columns_of(const struct forest *forest, struct arena *arena)
{
    float *columns = ARENA_NEW(arena, float, forest->feature_count);
    uint32_t numbers = 0, categories = 0;

    for (uint32_t i = 0; columns && i < forest->feature_count; i++)
        columns[i] = forest->features[i].words ? (float)categories++ : (float)numbers++;
    return columns;
}

static enum status place_columns(const struct forest *forest, const float *columns, float *nodes,
                                 struct error *err)
{
    for (uint32_t i = 0; i < forest->node_count; i++) {
        float *node = nodes + (size_t)i * NODE_NUMBERS;
        const uint32_t feature = (uint32_t)node[NODE_COLUMN];

        if (node[NODE_TEST] == NODE_LEAF)
            continue;
        if (forest->features[feature].words) {
            if (node[NODE_TEST] != NODE_IS_IN)
                return fail(err, STATUS_CORRUPT,
                            "feature \"%.*s\" has words, and a tree compares it as a number",
                            SLICE_FORMAT(forest->features[feature].name));
            node[NODE_TEST] = NODE_WORD_IN;
        }
        node[NODE_COLUMN] = columns[feature];
    }
    return STATUS_OK;
}

static enum status build_arrays(struct forest *forest, struct arena *arena,
                                struct trees_model *model, struct error *err)
{
    float *base = ARENA_NEW(arena, float, forest->outputs), *trees, *nodes, *sets;
    float *columns = columns_of(forest, arena);

    forest->origins = ARENA_NEW(arena, double, forest->feature_count);
    if (!base || !columns || !forest->origins)
        return fail_no_memory(err);
    TRY(keep(&forest->trees, arena, &trees, err));
    TRY(keep(&forest->nodes, arena, &nodes, err));
    TRY(keep(&forest->sets, arena, &sets, err));
    if (forest->has_doubles)
        TRY(forest_origins_take(forest, (const double *)(const void *)forest->doubles.data, nodes,
                                forest->origins, &forest->label_origin, err));
    TRY(place_columns(forest, columns, nodes, err));
    for (uint32_t i = 0; i < forest->outputs; i++) {
        base[i] = (float)forest->base[i];
        if (!isfinite(base[i]))
            return fail(err, STATUS_CORRUPT, "the prediction before the first tree is %g",
                        forest->base[i]);
    }
    *model = (struct trees_model){.base = base,
                                  .trees = trees,
                                  .nodes = nodes,
                                  .sets = sets,
                                  .outputs = forest->outputs,
                                  .tree_count = forest->tree_count,
                                  .node_count = forest->node_count,
                                  .set_count = forest->set_rows,
                                  .link = forest->link};
    return STATUS_OK;
}

enum status forest_finish(struct forest *forest, struct arena *arena, struct trees_model *model,
                          struct error *err)
{
    if (forest->joins_outputs) {
        forest->base[0] = forest->base[1] - forest->base[0];
        forest->outputs = 1;
    }
    return build_arrays(forest, arena, model, err);
}

/* ----- rounds ----- */

enum status forest_order(const struct trees_model *model, struct arena *arena,
                         struct forest_order *order, struct error *err)
{
    uint32_t *counts = ARENA_NEW(arena, uint32_t, model->outputs);

    *order = (struct forest_order){.rounds = 1};
    if (!counts)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < model->tree_count; i++) {
        const uint32_t output = (uint32_t)model->trees[(size_t)i * TREE_NUMBERS + TREE_OUTPUT];
        if (++counts[output] > order->rounds)
            order->rounds = counts[output];
    }
    if ((uint64_t)order->rounds * model->outputs > TREES_MAX)
        return fail(err, STATUS_LIMIT,
                    "%u rounds of %u classes make more than the %u trees that a file may have",
                    order->rounds, model->outputs, TREES_MAX);
    order->trees = ARENA_NEW(arena, uint32_t, (size_t)order->rounds * model->outputs);
    if (!order->trees)
        return fail_no_memory(err);
    for (size_t i = 0; i < (size_t)order->rounds * model->outputs; i++)
        order->trees[i] = FOREST_NO_TREE;
    memset(counts, 0, model->outputs * sizeof *counts);
    for (uint32_t i = 0; i < model->tree_count; i++) {
        const uint32_t output = (uint32_t)model->trees[(size_t)i * TREE_NUMBERS + TREE_OUTPUT];
        order->trees[(size_t)counts[output]++ * model->outputs + output] = i;
    }
    return STATUS_OK;
}
