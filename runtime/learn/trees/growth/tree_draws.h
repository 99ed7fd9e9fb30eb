/*
 * tree_draws.h - which columns a node of a growing tree may be divided by, and which are summed for
 * it.
 *
 * Where nodes draw few columns each, as those of a forest do, histograms of all columns are mostly
 * for nothing. Then both children of a divided node are summed, each in its own columns alone, and
 * no histogram is kept: nothing is subtracted from a parent that drew others. A node's histogram is
 * its columns one behind the other, in as much room as any of these draws may need.
 *
 * Draws are random bits of the seed, the tree and the node, so the workers that sum and the search
 * for splits draw the same. Why: docs/decisions/0320.
 */
#pragma once

#include "runtime/learn/trees/growth/tree_growth.h"

/* Prepares the growth's draws, when its bins, constraints and shares are known. NO_MEMORY. */
enum status tree_draws_init(struct growing_tree *growth, struct error *err);
void tree_draws_deinit(struct growing_tree *growth);

static inline bool tree_draws_are_few(const struct growing_tree *growth)
{
    return growth->draws.columns > 0;
}

/* The columns of tree `number`. */
void tree_draws_of_tree(struct growing_tree *growth, uint64_t number);
/* The tree's columns that the node may be divided by: allowed (column_count), 1 or 0. */
void tree_draws_of_node(const struct growing_tree *growth, uint32_t node, uint8_t *allowed);

/* Where draws are few: lists of the root of tree `number`, of the children of the batch's nodes. */
void tree_draws_list_root(struct growing_tree *growth, uint64_t number);
void tree_draws_list_batch(struct growing_tree *growth);

/* The list of the root, 0; of a child (0: left, 1: right) of node i of the batch, 2 * i + child. */
static inline const uint32_t *tree_draws_list(const struct growing_tree *growth, uint32_t i)
{
    return growth->draws.lists + (size_t)i * growth->draws.columns;
}
