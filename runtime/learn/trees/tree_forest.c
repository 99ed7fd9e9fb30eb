#include "runtime/learn/trees/tree_forest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/reserve.h"
#include "base/words.h"

#define SET_VALUES 256 /* of a row of `sets` */

void tree_forest_deinit(struct tree_forest *forest)
{
    free(forest->trees);
    free(forest->nodes);
    free(forest->sets);
    free(forest->sums);
    *forest = (struct tree_forest){0};
}

enum status tree_forest_resize(struct tree_forest *forest, uint32_t trees, uint32_t nodes,
                               uint32_t sets, struct error *err)
{
    if (nodes > TREES_NODES_MAX || trees > TREES_MAX || sets > TREES_NODES_MAX) {
        fail(err, STATUS_LIMIT, "the model would have more than %u trees or %u nodes", TREES_MAX,
             TREES_NODES_MAX);
        return error_hint(err, "Lower train.num_boost_round or max_depth.");
    }
    TRY(reserve_array((void **)&forest->trees, &forest->tree_room, trees, sizeof *forest->trees,
                      err));
    TRY(reserve_array((void **)&forest->sums, &forest->sum_room, trees, sizeof *forest->sums, err));
    TRY(reserve_array((void **)&forest->nodes, &forest->node_room, nodes, sizeof *forest->nodes,
                      err));
    TRY(reserve_array((void **)&forest->sets, &forest->set_room, sets, sizeof *forest->sets, err));
    forest->tree_count = trees;
    forest->node_count = nodes;
    forest->set_count = sets;
    return STATUS_OK;
}

/* ---- memory that changes by itself ---- */

static uint32_t sum_of_tree(const struct tree_forest *forest, uint32_t number)
{
    const struct forest_tree *tree = &forest->trees[number];

    return words_sum(forest->nodes + tree->first,
                     tree->count * (sizeof *forest->nodes / sizeof(uint32_t)));
}

void tree_forest_guard(struct tree_forest *forest)
{
    for (uint32_t tree = 0; tree < forest->tree_count; tree++)
        forest->sums[tree] = sum_of_tree(forest, tree);
}

bool tree_forest_is_intact(const struct tree_forest *forest, uint32_t first, uint32_t end)
{
    for (uint32_t tree = first; tree < end; tree++)
        if (sum_of_tree(forest, tree) != forest->sums[tree])
            return false;
    return true;
}

/* ---- a tree that was grown ---- */

static enum status add_set(struct tree_forest *forest, const struct tree_split *split,
                           uint32_t *number, struct error *err)
{
    TRY(tree_forest_resize(forest, forest->tree_count, forest->node_count, forest->set_count + 1,
                           err));
    memcpy(forest->sets[forest->set_count - 1].bits, split->set, sizeof split->set);
    *number = forest->set_count;
    return STATUS_OK;
}

/* Nodes in the order of levels, as they are found: children lie side by side. */
enum status tree_forest_add(struct tree_forest *forest, const struct growing_tree *tree,
                            uint32_t output, const float *values, struct error *err)
{
    const uint32_t count = 2 * tree->leaves - 1, first = forest->node_count;
    uint32_t *numbers = malloc(count * sizeof *numbers), taken = 1;
    enum status status;

    if (!numbers)
        return fail_no_memory(err);
    numbers[0] = 0;
    status =
        tree_forest_resize(forest, forest->tree_count + 1, first + count, forest->set_count, err);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        const struct tree_node *grown = &tree->nodes[numbers[i]];
        struct forest_node node = {.cover =
                                       (float)((double)grown->sums.hessian * tree->units.hessian)};

        if (!grown->is_inner) {
            node.value = values[numbers[i]];
        } else {
            node.left = taken;
            node.column = grown->split.column;
            node.bin = grown->split.bin;
            node.missing_left = grown->split.missing_left;
            node.gain = (float)grown->split.gain;
            if (grown->split.by_set)
                status = add_set(forest, &grown->split, &node.set, err);
            numbers[taken] = grown->left;
            numbers[taken + 1] = grown->left + 1;
            taken += 2;
        }
        forest->nodes[first + i] = node;
    }
    if (status == STATUS_OK) {
        forest->trees[forest->tree_count - 1] = (struct forest_tree){first, count, output};
        forest->sums[forest->tree_count - 1] = sum_of_tree(forest, forest->tree_count - 1);
    }
    free(numbers);
    return status;
}

/* ---- as a model ---- */

/* Ids of a category that share its last bin lie behind those of words with bins of their own. */
static uint32_t set_rows_of(const struct tree_column *column, const struct forest_set *set,
                            const struct transform *transform)
{
    const struct transform_input *input = &transform->inputs[column->input];
    uint32_t last = 0; /* 1 + the greatest value that goes left */

    for (uint32_t b = 1; b < column->bins; b++)
        if (set->bits[b / 64] >> (b % 64) & 1)
            last = b <= column->words ? b : input->word_count + input->hash_buckets;
    return last == 0 ? 1 : (last + SET_VALUES - 1) / SET_VALUES;
}

static void write_set(const struct tree_column *column, const struct forest_set *set,
                      const struct transform *transform, float *numbers)
{
    const struct transform_input *input = &transform->inputs[column->input];
    const uint32_t values = input->word_count + input->hash_buckets;
    const uint32_t rows = set_rows_of(column, set, transform);

    for (uint32_t i = 0; i < rows * TREE_SET_NUMBERS; i++)
        numbers[i] = 0;
    for (uint32_t value = 0; value < values && value < rows * SET_VALUES; value++) {
        const uint32_t bin = value < column->words ? value + 1 : column->words + 1;
        float *number = &numbers[value / 16];

        if (bin < column->bins && set->bits[bin / 64] >> (bin % 64) & 1)
            *number = (float)((uint32_t)*number | 1u << (value % 16));
    }
}

static float threshold_of(const struct tree_column *column, uint32_t bin)
{
    if (bin == 0)
        return -INFINITY;
    return bin + 1 < column->bins ? column->cuts[bin - 1] : INFINITY;
}

static void write_node(const struct tree_forest *forest, const struct forest_node *node,
                       const struct tree_bins *bins, const struct transform *transform,
                       struct tree_arrays *arrays, float *numbers)
{
    const struct tree_column *column = &bins->columns[node->column];

    numbers[NODE_GAIN] = node->gain;
    numbers[NODE_COVER] = node->cover;
    numbers[NODE_VALUE] = node->value;
    numbers[NODE_TEST] = NODE_LEAF;
    if (node->left == 0)
        return;
    numbers[NODE_COLUMN] = (float)column->place;
    numbers[NODE_LEFT] = (float)node->left;
    numbers[NODE_MISSING_LEFT] = (float)node->missing_left;
    if (node->set > 0) {
        const struct forest_set *set = &forest->sets[node->set - 1];
        const uint32_t rows = set_rows_of(column, set, transform);

        numbers[NODE_TEST] = NODE_WORD_IN;
        numbers[NODE_SET] = (float)arrays->set_count;
        numbers[NODE_SET_ROWS] = (float)rows;
        write_set(column, set, transform,
                  arrays->sets + (size_t)arrays->set_count * TREE_SET_NUMBERS);
        arrays->set_count += rows;
    } else {
        numbers[NODE_TEST] = NODE_BELOW;
        numbers[NODE_VALUE] = threshold_of(column, node->bin);
    }
}

void tree_arrays_deinit(struct tree_arrays *arrays)
{
    free(arrays->trees);
    free(arrays->nodes);
    free(arrays->sets);
    *arrays = (struct tree_arrays){0};
}

static uint64_t count_set_rows(const struct tree_forest *forest, uint32_t nodes,
                               const struct tree_bins *bins, const struct transform *transform)
{
    uint64_t rows = 0;

    for (uint32_t i = 0; i < nodes; i++)
        if (forest->nodes[i].set > 0)
            rows += set_rows_of(&bins->columns[forest->nodes[i].column],
                                &forest->sets[forest->nodes[i].set - 1], transform);
    return rows;
}

enum status tree_forest_write(const struct tree_forest *forest, uint32_t trees,
                              const struct tree_bins *bins, const struct transform *transform,
                              struct tree_arrays *arrays, struct error *err)
{
    const struct forest_tree *last = trees > 0 ? &forest->trees[trees - 1] : NULL;
    const uint32_t nodes = last ? last->first + last->count : 0;
    const uint64_t set_rows = count_set_rows(forest, nodes, bins, transform);

    *arrays = (struct tree_arrays){.tree_count = trees, .node_count = nodes};
    if (set_rows > TREES_NODES_MAX) {
        fail(err, STATUS_LIMIT, "the splits of categories name more words than a model can have");
        return error_hint(err, "Keep fewer words of them: COLUMN VOCABULARY(c, 254).");
    }
    arrays->trees = calloc((size_t)trees * TREE_NUMBERS + 1, sizeof(float));
    arrays->nodes = calloc((size_t)nodes * NODE_NUMBERS + 1, sizeof(float));
    arrays->sets = calloc((size_t)set_rows * TREE_SET_NUMBERS + 1, sizeof(float));
    if (!arrays->trees || !arrays->nodes || !arrays->sets) {
        tree_arrays_deinit(arrays);
        return fail_no_memory(err);
    }
    for (uint32_t t = 0; t < trees; t++) {
        float *numbers = arrays->trees + (size_t)t * TREE_NUMBERS;

        numbers[TREE_FIRST_NODE] = (float)forest->trees[t].first;
        numbers[TREE_NODE_COUNT] = (float)forest->trees[t].count;
        numbers[TREE_OUTPUT] = (float)forest->trees[t].output;
    }
    for (uint32_t i = 0; i < nodes; i++)
        write_node(forest, &forest->nodes[i], bins, transform, arrays,
                   arrays->nodes + (size_t)i * NODE_NUMBERS);
    return STATUS_OK;
}
