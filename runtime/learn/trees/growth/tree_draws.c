#include "runtime/learn/trees/growth/tree_draws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows of both children are summed in place of the fewer ones of one, and not by whole groups of
 * columns: worth it from so many columns on for each that is drawn. */
#define COLUMNS_OF_DRAWN 4

/* The draws of columns, each from those of the one before. */
enum { DRAW_TREE, DRAW_LEVEL, DRAW_NODE, DRAWS };

#define LEVELS_MAX 64 /* levels of a tree with draws of their own */

/* ---- how many ---- */

static int compare_falling(const void *a, const void *b)
{
    const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;

    return (first < second) - (first > second);
}

/* *most: the bins of so many columns together, at most. */
static enum status most_bins(const struct tree_bins *bins, uint32_t columns, uint32_t *most,
                             struct error *err)
{
    uint32_t *sizes = malloc((bins->column_count + (size_t)1) * sizeof *sizes);

    if (!sizes)
        return fail_no_memory(err);
    for (uint32_t c = 0; c < bins->column_count; c++)
        sizes[c] = bins->columns[c].bins;
    qsort(sizes, bins->column_count, sizeof *sizes, compare_falling);
    *most = 0;
    for (uint32_t c = 0; c < columns; c++)
        *most += sizes[c];
    free(sizes);
    return STATUS_OK;
}

enum status tree_draws_init(struct growing_tree *growth, struct error *err)
{
    const struct tree_column_shares *shares = &growth->shares;
    const uint32_t count = growth->bins->column_count;
    struct tree_draws *draws = &growth->draws;
    uint32_t columns = tree_columns_drawn(count, shares->tree), bins = 0;

    growth->columns = malloc((size_t)(1 + DRAWS) * count + 1);
    if (!growth->columns)
        return fail_no_memory(err);
    memset(growth->columns, 1, count);
    columns = tree_columns_drawn(columns, shares->level);
    columns = tree_columns_drawn(columns, shares->node);
    if (growth->constraints->groups || columns == 0 || columns * COLUMNS_OF_DRAWN > count)
        return STATUS_OK;
    TRY(most_bins(growth->bins, columns, &bins, err));
    if (2 * bins > growth->total_bins)
        return STATUS_OK;
    draws->lists = calloc(2 * (size_t)growth->limits.batch * columns, sizeof *draws->lists);
    if (!draws->lists)
        return fail_no_memory(err);
    draws->columns = columns;
    draws->bins = bins;
    return STATUS_OK;
}

void tree_draws_deinit(struct growing_tree *growth)
{
    free(growth->columns);
    free(growth->draws.lists);
}

/* ---- which ---- */

static uint8_t *columns_of(const struct growing_tree *growth, uint32_t draw)
{
    return growth->columns + (size_t)(1 + draw) * growth->bins->column_count;
}

void tree_draws_of_tree(struct growing_tree *growth, uint64_t number)
{
    const uint32_t count = growth->bins->column_count;

    if (growth->shares.tree >= 1)
        memcpy(columns_of(growth, DRAW_TREE), growth->columns, count);
    else
        tree_columns_draw(growth->columns, count, growth->shares.tree, growth->shares.seed,
                          RANDOM_TREE_COLUMNS, number, columns_of(growth, DRAW_TREE));
}

static void draw(const struct growing_tree *growth, uint64_t number, uint32_t depth, uint32_t node,
                 uint8_t *allowed)
{
    const struct tree_column_shares *shares = &growth->shares;
    const uint32_t count = growth->bins->column_count;
    const uint8_t *of_tree = columns_of(growth, DRAW_TREE);
    uint8_t *of_level = columns_of(growth, DRAW_LEVEL);

    if (shares->level >= 1)
        memcpy(of_level, of_tree, count);
    else
        tree_columns_draw(of_tree, count, shares->level, shares->seed, RANDOM_LEVEL_COLUMNS,
                          number * LEVELS_MAX + depth % LEVELS_MAX, of_level);
    if (shares->node >= 1)
        memcpy(allowed, of_level, count);
    else
        tree_columns_draw(of_level, count, shares->node, shares->seed, RANDOM_NODE_COLUMNS,
                          number * TREES_NODES_MAX + node, allowed);
}

void tree_draws_of_node(const struct growing_tree *growth, uint32_t node, uint8_t *allowed)
{
    draw(growth, growth->number, growth->nodes[node].depth, node, allowed);
    tree_constraints_narrow(growth->constraints, tree_growth_above(&growth->nodes[node]), allowed);
}

/* ---- lists ---- */

static void list(struct growing_tree *growth, uint64_t number, uint32_t depth, uint32_t node,
                 uint32_t place)
{
    uint8_t *allowed = columns_of(growth, DRAW_NODE);
    uint32_t *columns = growth->draws.lists + (size_t)place * growth->draws.columns;
    uint32_t count = 0;

    draw(growth, number, depth, node, allowed);
    for (uint32_t c = 0; c < growth->bins->column_count; c++)
        if (allowed[c])
            columns[count++] = c;
}

void tree_draws_list_root(struct growing_tree *growth, uint64_t number)
{
    growth->draws.listed = 0;
    tree_draws_of_tree(growth, number);
    list(growth, number, 0, 0, 0);
}

void tree_draws_list_batch(struct growing_tree *growth)
{
    if (growth->draws.listed == growth->divided_count)
        return;
    for (uint32_t i = 0; i < 2 * growth->batch_count; i++) {
        const uint32_t parent = tree_growth_batch_node(growth, i / 2);
        const uint32_t child = growth->nodes[parent].left + i % 2;

        list(growth, growth->number, growth->nodes[child].depth, child, i);
    }
    growth->draws.listed = growth->divided_count;
}
