/*
 * pooled_tree.h - boosted trees over bins, grown from sums of integers.
 *
 *     rows --their node, gradient--> sums of each open node, feature and bin --> splits --> the
 * next level's nodes
 *
 * A tree is grown level by level, and lies as a heap: the children of node i are 2 i + 1 and 2 i +
 * 2. A node that is not split has the value that the tree adds. The loss is that of squares.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define POOLED_BINS         64 /* the first one: the feature has no value */
#define POOLED_FEATURES_MAX 60
#define POOLED_DEPTH_MAX    8

struct pooled_node {
    double value;
    uint64_t left;    /* bins whose rows go to the left child */
    uint32_t feature; /* from 1; 0: it is not split */
    uint32_t unused;  /* 0 */
};

/* Settings of the growth. */
struct pooled_growth {
    uint32_t depth;
    uint32_t least_rows; /* rows of a node */
    double eta, lambda;
    uint32_t ordered, features; /* those behind the ordered ones are words */
};

struct pooled_trees {
    const struct pooled_node *nodes; /* (count, pooled_slot) */
    uint32_t count, depth;
};

/* Sums of one node, feature and bin. */
enum { POOLED_GRADIENT, POOLED_COUNT, POOLED_SUMS };

#define POOLED_ONE  1048576.0 /* a gradient of 1 as an integer */
#define POOLED_MOST 8.0       /* the greatest target in magnitude */

/* Nodes of a tree. */
static inline uint32_t pooled_slot(uint32_t depth)
{
    return (2u << depth) - 1;
}

/* The gradient of a row, whose sum over all rows fits. */
int64_t pooled_gradient(double target, double score);

/* Nodes of the level that are open: whose parents are split. Their numbers, ascending, into open
 * (1 << POOLED_DEPTH_MAX); how many. */
uint32_t pooled_open(const struct pooled_node *tree, uint32_t level, uint32_t *open);

/* The node that a row (bins) is at in a tree of which `depth` levels are split, from a node on. */
uint32_t pooled_descend(const struct pooled_node *tree, uint32_t node, const uint8_t *bins);

/* Splits the open nodes of a level by their sums (open, features, POOLED_BINS, POOLED_SUMS); their
 * children have values. Is any split? */
bool pooled_split(const struct pooled_growth *growth, struct pooled_node *tree, uint32_t level,
                  const int64_t *sums);

/* The sum of the trees' values for a row. */
double pooled_score(const struct pooled_trees *trees, const uint8_t *bins);
