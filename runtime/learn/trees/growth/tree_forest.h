/*
 * tree_forest.h - the trees that have been grown.
 *
 *     grown tree --tree_forest_add--> forest --tree_forest_write--> arrays of a stored model
 *
 * Rows reach leaves here by their bins, stored models by values: the threshold of a split is the
 * cut between two bins, so both reach the same leaf.
 */
#pragma once

#include "kinds/trees/trees_model.h"
#include "runtime/learn/trees/growth/tree_growth.h"

/* Without padding: the state is read as bytes. */
struct forest_node {
    uint32_t left;   /* child, counted from the tree's first node; the right one is the next; 0: a
                        leaf */
    uint32_t column; /* index in tree_bins.columns */
    uint32_t bin;    /* bins 1 to this one go left, unless there is a set; 1 + how many words its
                        list has, 0 where it is none */
    uint32_t set;    /* 1 + its number, or that of the first one that a list lies in; 0: none */
    uint32_t missing_left;
    float value; /* a leaf's value */
    float gain, cover;
};

struct forest_tree {
    uint32_t first, count; /* nodes */
    uint32_t output;
};

#define FOREST_LIST_BINS 16

/* A wide column's node has as many as its list needs, one behind the other. */
struct forest_set {
    union {
        uint64_t bits[4];                /* bit b % 64 of bits[b / 64]: bin b goes left */
        uint16_t list[FOREST_LIST_BINS]; /* these bins go left; behind them 0 */
    };
};

struct tree_forest {
    struct forest_tree *trees;
    struct forest_node *nodes;
    struct forest_set *sets;
    uint32_t tree_count, node_count, set_count;
    uint32_t tree_room, node_room, set_room;
    uint32_t *sums; /* (sum_room): of each tree, those of the words of its nodes */
    uint32_t sum_room;
};

void tree_forest_deinit(struct tree_forest *forest);
/* Counts as they will be; what is there stays. LIMIT above TREES_NODES_MAX, NO_MEMORY. */
enum status tree_forest_resize(struct tree_forest *forest, uint32_t trees, uint32_t nodes,
                               uint32_t sets, struct error *err);

/* The growing tree as it is now. values: of its nodes, by their numbers; of leaves alone they
 * count. */
enum status tree_forest_add(struct tree_forest *forest, const struct growing_tree *tree,
                            uint32_t output, const float *values, struct error *err);

/* The arrays are those of trees that others grew, of just so many elements: their nodes are what
 * they shall stay. NO_MEMORY. */
enum status tree_forest_adopt(struct tree_forest *forest, uint32_t trees, uint32_t nodes,
                              uint32_t sets, struct error *err);
/* Are the nodes of trees [first, end) as they were when these were added? */
bool tree_forest_is_intact(const struct tree_forest *forest, uint32_t first, uint32_t end);

static inline bool forest_has_list(const struct forest_node *node)
{
    return node->set > 0 && node->bin > 0;
}

static inline uint32_t forest_list_length(const struct forest_node *node)
{
    return node->bin - 1;
}

/* Lies in several sets, of which no one has other bytes between. */
static inline const uint16_t *forest_list(const struct tree_forest *forest,
                                          const struct forest_node *node)
{
    return forest->sets[node->set - 1].list;
}

static inline bool forest_lists(const struct tree_forest *forest, const struct forest_node *node,
                                uint16_t bin)
{
    for (uint32_t i = 0; i < forest_list_length(node); i++)
        if (forest_list(forest, node)[i] == bin)
            return true;
    return false;
}

static inline bool forest_goes_left(const struct tree_forest *forest,
                                    const struct forest_node *node, uint16_t bin)
{
    if (bin == 0)
        return node->missing_left;
    if (forest_has_list(node))
        return forest_lists(forest, node, bin);
    if (node->set > 0)
        return forest->sets[node->set - 1].bits[bin / 64] >> (bin % 64) & 1;
    return bin <= node->bin;
}

/* The arrays of a stored model of the first `trees` trees, which the caller frees with
 * tree_arrays_deinit. */
struct tree_arrays {
    float *trees, *nodes, *sets;
    uint32_t tree_count, node_count, set_count;
};
enum status tree_forest_write(const struct tree_forest *forest, uint32_t trees,
                              const struct tree_bins *bins, const struct transform *transform,
                              struct tree_arrays *arrays, struct error *err);
void tree_arrays_deinit(struct tree_arrays *arrays);
