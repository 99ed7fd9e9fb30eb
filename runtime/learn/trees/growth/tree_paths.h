/*
 * tree_paths.h - the leaves that rows reach in a tree of the forest, many rows at a time.
 *
 *     tree_paths_init --> tree_paths_find of each tree and some rows: leaves --> tree_paths_deinit
 *
 * The rows of a node are parted as those of the growing tree are (tree_rows_divide): node after
 * node, without a branch that depends on a row. Which leaf a row reaches is what
 * forest_goes_left says on its way from the root.
 */
#pragma once

#include "runtime/learn/trees/growth/tree_forest.h"

#define TREE_PATHS_ROWS 4096 /* at a time */

/* Where a node's rows are in the order. */
struct path_run {
    uint16_t first, count;
};

struct tree_paths {
    const struct tree_forest *forest;
    struct path_run *runs;            /* (nodes of the largest tree) */
    uint32_t leaves[TREE_PATHS_ROWS]; /* each row's leaf, counted from the tree's first node */
    uint16_t order[TREE_PATHS_ROWS], right[TREE_PATHS_ROWS];
    uint64_t bits[TREE_WIDE_BINS_MAX / 64]; /* bins of a wide column's split; 0 between nodes */
};

/* The bins of some rows: row r has narrow[c * stride + r] in column c, and in a wide one, which
 * those from `wide_from` on are, wide[(c - wide_from) * stride + r]. */
struct path_bins {
    const uint8_t *narrow;
    const uint16_t *wide;
    size_t stride;
    uint32_t wide_from;
};

/* For the trees [first, end) of the forest, which stays as it is. NO_MEMORY. */
enum status tree_paths_init(struct tree_paths *paths, const struct tree_forest *forest,
                            uint32_t first, uint32_t end, struct error *err);
void tree_paths_deinit(struct tree_paths *paths);

/* rows: up to TREE_PATHS_ROWS, whose leaves are found. */
void tree_paths_find(struct tree_paths *paths, uint32_t tree, struct path_bins bins, uint32_t rows);
