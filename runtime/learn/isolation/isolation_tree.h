/*
 * isolation_tree.h - one tree of an isolation forest, grown from a sample of rows.
 *
 * A node is split by a column drawn among those that are not the same in all of its rows: a number
 * by a threshold between its least and its greatest value, a category by a side drawn for each of
 * its words. A node of one row, of equal rows or at the greatest depth is a leaf.
 *
 * Values that a node's rows do not have go to the side with fewer rows: they are unusual there. So
 * does a missing value, unless some of the rows lack it; then its side is drawn, too.
 *
 * Columns are counted over the numbers and then the categories. All that is drawn is a function of
 * seed, tree and node (base/random.h).
 */
#pragma once

#include "base/error.h"
#include "kinds/trees/isolation_kind.h"
#include "kinds/trees/trees_model.h"

/* In place of a word that is not distinguished from others: only so many are. */
#define ISOLATION_OTHER_WORDS (ISOLATION_WORDS - 1)

/* Rows of a tree: numbers (rows, number_count) and the words of categories, counted from each
 * category's first one, -1 for none (rows, id_count). */
struct isolation_sample {
    uint32_t rows, number_count, id_count;
    float *numbers;
    int32_t *words;
};

/* Trees that are being made, in the arrays of a struct trees_model. */
struct isolation_forest {
    float *trees, *nodes, *sets;
    uint32_t tree_count, node_count, set_count;
    uint32_t tree_room, node_room, set_room; /* rows that there is memory for */
};

struct isolation_growth {
    uint64_t seed;
    uint32_t columns_most, depth_most; /* columns of a tree, splits on the way to a leaf */
    double leaf_scale;                 /* a leaf's value is its path times this */
    struct isolation_space *space;
};

/* Space for samples of so many rows of so many columns. */
enum status isolation_growth_init(struct isolation_growth *growth, uint32_t rows, uint32_t columns,
                                  struct error *err);
void isolation_growth_deinit(struct isolation_growth *growth);

/* Adds the next tree, grown from the sample. LIMIT where the forest has more nodes or sets than a
 * model can have, NO_MEMORY: the forest is then as it was, maybe with more room. */
enum status isolation_grow(const struct isolation_growth *growth,
                           const struct isolation_sample *sample, struct isolation_forest *forest,
                           struct error *err);
