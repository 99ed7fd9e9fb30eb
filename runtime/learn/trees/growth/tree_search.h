/*
 * tree_search.h - the best splits of nodes whose rows have been summed, by all threads.
 *
 *     summed histograms --each column by itself--> found splits --> the best one of each node
 *
 * The list of a split that names many words is written when it is known to be the best one: it
 * joins the words of the growing tree (tree_growth.h), node after node, so that all workers have
 * the same.
 */
#pragma once

#include "base/reserve.h"
#include "runtime/learn/trees/growth/tree_growth.h"

#define TREE_NO_NODE UINT32_MAX

/* Room of one of the growing tree's arrays. */
#define TREE_RESERVE(growth, list, room, count, err)                                               \
    reserve_array((void **)&(growth)->list, &(growth)->room, count, sizeof *(growth)->list, err)

/* A node of the batch, whose children get histograms: one that was summed, and what is left. */
struct sharing {
    const struct tree_sums *summed; /* NULL: the nodes have theirs already */
    const struct tree_sums *parent; /* lies where one of the children's will be */
    uint32_t nodes[2]; /* nodes to search: the one that was summed, the other; TREE_NO_NODE */
};

static inline struct tree_sums *tree_slot_histogram(const struct growing_tree *growth,
                                                    uint32_t slot)
{
    return growth->histograms + (size_t)slot * growth->total_bins;
}

static inline struct tree_sums *tree_node_histogram(const struct growing_tree *growth,
                                                    uint32_t node)
{
    return tree_slot_histogram(growth, growth->nodes[node].slot);
}

/* How many rows a part of a node's hessians is taken to have: by the node's own rows, as LightGBM
 * does. */
static inline struct tree_units tree_node_units(const struct growing_tree *growth,
                                                const struct tree_node *node)
{
    struct tree_units units = growth->units;

    if (node->sums.hessian > 0)
        units.rows_of_hessian = (double)node->rows / (double)node->sums.hessian;
    return units;
}

/* Children get their histograms, and the best splits by them. CORRUPT where the bins of a column
 * have other sums than the node; NO_MEMORY. */
enum status tree_search_shared(struct growing_tree *growth, const struct sharing *sharings,
                               uint32_t count, struct team *team, struct error *err);
/* The same where draws are few (tree_draws.h): nodes (count), TREE_NO_NODE where none is searched,
 * each with the histograms of its columns. */
enum status tree_search_drawn(struct growing_tree *growth, const uint32_t *nodes, uint32_t count,
                              const int64_t *histograms, struct team *team, struct error *err);
