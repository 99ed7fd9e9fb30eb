#include "runtime/learn/trees/growth/tree_forest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/reserve.h"
#include "base/sums/words.h"

#define SET_VALUES 256 /* values in a row of `sets` */

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
    if (sets > TREES_NODES_MAX) {
        fail(err, STATUS_LIMIT, "the splits of categories name more words than a model can have");
        return error_hint(err, "Keep fewer words of them: COLUMN VOCABULARY(c, 1000).");
    }
    if (nodes > TREES_NODES_MAX || trees > TREES_MAX) {
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

enum status tree_forest_adopt(struct tree_forest *forest, uint32_t trees, uint32_t nodes,
                              uint32_t sets, struct error *err)
{
    forest->tree_count = forest->tree_room = trees;
    forest->node_count = forest->node_room = nodes;
    forest->set_count = forest->set_room = sets;
    TRY(reserve_array((void **)&forest->sums, &forest->sum_room, trees, sizeof *forest->sums, err));
    for (uint32_t tree = 0; tree < trees; tree++)
        forest->sums[tree] = sum_of_tree(forest, tree);
    return STATUS_OK;
}

bool tree_forest_is_intact(const struct tree_forest *forest, uint32_t first, uint32_t end)
{
    for (uint32_t tree = first; tree < end; tree++)
        if (sum_of_tree(forest, tree) != forest->sums[tree])
            return false;
    return true;
}

/* ---- a tree that was grown ---- */

static uint32_t sets_of(const struct tree_split *split)
{
    const uint32_t length = split->has_list ? tree_split_list_length(split) : 0;

    return length > FOREST_LIST_BINS ? (length + FOREST_LIST_BINS - 1) / FOREST_LIST_BINS : 1;
}

static enum status add_set(struct tree_forest *forest, const struct growing_tree *tree,
                           const struct tree_split *split, struct forest_node *node,
                           struct error *err)
{
    const uint32_t first = forest->set_count, count = sets_of(split);

    TRY(tree_forest_resize(forest, forest->tree_count, forest->node_count, first + count, err));
    memset(&forest->sets[first], 0, count * sizeof *forest->sets);
    if (split->has_list)
        memcpy(forest->sets[first].list, tree_split_list(split, tree->words),
               tree_split_list_length(split) * sizeof(uint16_t));
    else
        memcpy(forest->sets[first].bits, split->set, sizeof split->set);
    node->set = first + 1;
    node->bin = split->has_list ? 1u + tree_split_list_length(split) : 0;
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
                status = add_set(forest, tree, &grown->split, &node, err);
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

/* The last of the values that have a bin of a category, counted from 1. Those that share its last
 * bin lie behind those with bins of their own. */
static uint32_t last_value(const struct tree_column *column, const struct transform *transform,
                           uint32_t bin)
{
    const struct transform_input *input = &transform->inputs[column->input];

    return bin <= column->words ? bin : input->word_count + input->hash_buckets;
}

static uint32_t set_rows_of(const struct tree_forest *forest, const struct forest_node *node,
                            const struct tree_column *column, const struct transform *transform)
{
    const bool has_list = forest_has_list(node);
    const uint32_t end = has_list ? forest_list_length(node) : column->bins - 1;
    uint32_t last = 0; /* the greatest value that goes left, counted from 1 */

    for (uint32_t i = 0; i < end; i++) {
        const uint32_t bin = has_list ? forest_list(forest, node)[i] : i + 1;
        const uint32_t value = last_value(column, transform, bin);

        if ((has_list || forest_goes_left(forest, node, (uint16_t)bin)) && value > last)
            last = value;
    }
    return last == 0 ? 1 : (last + SET_VALUES - 1) / SET_VALUES;
}

/* The values of a bin, which are 16 in a number. */
static void write_bin(const struct tree_column *column, const struct transform *transform,
                      uint32_t bin, float *numbers)
{
    const uint32_t last = last_value(column, transform, bin);

    for (uint32_t value = bin - 1; value < last; value++) {
        float *number = &numbers[value / 16];

        *number = (float)((uint32_t)*number | 1u << (value % 16));
    }
}

static void write_set(const struct tree_forest *forest, const struct forest_node *node,
                      const struct tree_column *column, const struct transform *transform,
                      float *numbers)
{
    if (forest_has_list(node)) {
        for (uint32_t i = 0; i < forest_list_length(node); i++)
            write_bin(column, transform, forest_list(forest, node)[i], numbers);
        return;
    }
    for (uint32_t bin = 1; bin < column->bins; bin++)
        if (forest_goes_left(forest, node, (uint16_t)bin))
            write_bin(column, transform, bin, numbers);
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
        const uint32_t rows = set_rows_of(forest, node, column, transform);

        numbers[NODE_TEST] = NODE_WORD_IN;
        numbers[NODE_SET] = (float)arrays->set_count;
        numbers[NODE_SET_ROWS] = (float)rows;
        write_set(forest, node, column, transform,
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
            rows += set_rows_of(forest, &forest->nodes[i], &bins->columns[forest->nodes[i].column],
                                transform);
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
        return error_hint(err, "Keep fewer words of them: COLUMN VOCABULARY(c, 1000).");
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
