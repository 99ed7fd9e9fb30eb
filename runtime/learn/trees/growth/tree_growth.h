/*
 * tree_growth.h - a tree while it grows: its nodes, their histograms, and which node is divided
 * next.
 *
 *     begin --root's histogram--> next --batch of nodes: their rows are divided--> take --+
 *                                  ^                                                      |
 *                                  +------------------------------------------------------+
 *                                  |
 *                                  +--no batch: the tree is complete
 *
 * A node is divided by its best split. Depth-wise those nearest to the root come first; loss-guided
 * the one of greatest gain, as XGBoost and LightGBM do, one after the other. To need fewer phases
 * than splits, nodes that will probably be divided soon are divided in the same batch: the greedy
 * order then finds their children there, or leaves them as the leaves that they are. What a tree
 * becomes does not depend on the size of batches, unless gains are equal.
 *
 * Only the histogram of the child with fewer rows is summed; the other's is what is left of the
 * parent's. Sums are integers, so nothing is lost by that. Where nodes draw few columns each, both
 * are summed in these alone, and none is kept (tree_draws.h). Nodes whose children cannot be
 * divided need no histogram, and no batch.
 *
 * Pure: a function of the histograms that it is given.
 */
#pragma once

#include "base/process/team.h"
#include "kinds/trees/trees_attributes.h"
#include "kinds/trees/trees_model.h"
#include "runtime/learn/trees/growth/tree_constraints.h"
#include "runtime/learn/trees/growth/tree_split.h"

#define TREE_NO_SLOT UINT32_MAX

struct tree_node {
    struct tree_sums sums; /* sums of its rows */
    struct tree_split split;
    struct tree_bounds bounds;
    uint64_t groups; /* groups of struct tree_above; `above` is its column */
    uint64_t rows;   /* rows that the tree is grown from; 0: not counted, as it cannot be divided */
    uint32_t above;
    uint32_t left;             /* the right child is the next; 0: its rows are not divided */
    uint32_t slot;             /* slot of its histogram; TREE_NO_SLOT */
    uint32_t depth;            /* 0: the root */
    bool is_reached, is_inner; /* the tree has it; has its children */
    bool is_by_order;          /* a child of a split by ordered words, which cat_l2 is for */
    bool unused[5];            /* in place of padding: the state is read as bytes */
};

struct tree_limits {
    bool is_depthwise;
    uint32_t max_depth, max_leaves; /* UINT32_MAX: no limit */
    uint32_t batch;                 /* nodes at most, at least 1 */
};

/* Shares of the columns that are drawn for each tree, level, node. */
struct tree_column_shares {
    double tree, level, node;
    uint64_t seed;
};

/* Nodes that draw few columns each: tree_draws.h. */
struct tree_draws {
    uint32_t columns; /* columns of a node; 0: they are not few, and all columns are summed */
    uint32_t bins;    /* bins that so many columns have at most: the length of a histogram */
    uint32_t *lists; /* (2 * limits.batch, columns): columns of the nodes that are summed, rising */
    uint32_t listed; /* divided_count of the batch that has these lists; 0: a root has */
};

struct growing_tree {
    const struct tree_bins *bins;
    const struct tree_constraints *constraints;
    struct tree_split_options options;
    struct tree_limits limits;
    double fair_c; /* the bound of the objective fair, where trees count; else 0 */
    double eta;    /* the learning rate */
    struct tree_column_shares shares;
    struct tree_draws draws;
    uint32_t total_bins; /* bins of all columns: the length of a histogram, unless draws are few */

    uint64_t number; /* the tree's number */
    struct tree_units units;
    struct tree_node *nodes; /* the root first */
    uint32_t node_count, node_room;
    uint32_t *divided; /* nodes in the order in which their rows are divided */
    uint32_t divided_count, divided_room;
    uint32_t batch_count; /* the last ones of these, with a histogram of a child each */
    uint32_t *frontier;   /* a heap: leaves of the tree that may be divided */
    uint32_t frontier_count, frontier_room;
    uint32_t leaves;
    struct tree_sums *histograms; /* (slot_room, total_bins) */
    uint32_t slot_count, slot_room;
    uint32_t *free_slots;
    uint32_t free_count, free_room;
    uint16_t *words; /* long lists of splits, each of an even length, with 0 behind an odd one */
    uint32_t word_count, word_room;

    uint8_t *columns;         /* (4, column_count): all, of the tree, of the level, of the node */
    struct tree_split *found; /* space of a search: (found_room) */
    uint32_t found_room;
    struct tree_ranked_word *ranked; /* space of long sets: (ranked_room, bins_ranked) */
    uint32_t ranked_room;
    uint32_t bins_ranked; /* bins of the widest column that has them; 0: there is none */
};

/* Borrows bins and constraints. */
enum status tree_growth_init(struct growing_tree *growth, const struct tree_bins *bins,
                             const struct tree_constraints *constraints,
                             const struct trees_params *params, uint64_t seed, uint32_t batch,
                             struct error *err);
void tree_growth_deinit(struct growing_tree *growth);

/* The bins of the first column in a histogram of the root of tree `number`. */
uint32_t tree_growth_first_bins(struct growing_tree *growth, uint64_t number);
/* Tree `number` begins, with a root whose rows have this histogram (tree_growth_root_bins). */
enum status tree_growth_begin(struct growing_tree *growth, uint64_t number, struct tree_units units,
                              const int64_t *histogram, struct team *team, struct error *err);
/* The next batch: batch_count nodes are appended to `divided`, after some that need none. 0: the
 * tree is complete. */
enum status tree_growth_next(struct growing_tree *growth, struct error *err);
/* histograms (batch_count, tree_growth_node_bins), gradient and hessian of a bin side by side: of
 * the child with fewer rows (tree_growth_summed) of each node of the batch, or of both; and how
 * many the fewer rows are, rows (batch_count). CORRUPT where the bins of a column have other sums
 * than the split says, or where there are more rows than the node has: somebody's memory changed by
 * itself. */
enum status tree_growth_take(struct growing_tree *growth, const int64_t *histograms,
                             const int64_t *rows, struct team *team, struct error *err);

/* Bins that are summed of a root; of the children of a node of the batch. */
static inline uint32_t tree_growth_root_bins(const struct growing_tree *growth)
{
    return growth->draws.columns > 0 ? growth->draws.bins : growth->total_bins;
}
static inline uint32_t tree_growth_node_bins(const struct growing_tree *growth)
{
    return growth->draws.columns > 0 ? 2 * growth->draws.bins : growth->total_bins;
}

/* The node of the batch, by its number in it. */
static inline uint32_t tree_growth_batch_node(const struct growing_tree *growth, uint32_t i)
{
    return growth->divided[growth->divided_count - growth->batch_count + i];
}
/* The value of a leaf, before the learning rate, of rows with these sums. */
double tree_growth_value(const struct growing_tree *growth, uint32_t leaf, double gradient,
                         double hessian);

static inline struct tree_above tree_growth_above(const struct tree_node *node)
{
    return (struct tree_above){node->groups, node->above, node->depth == 0};
}

/* Could a child of a node be divided, as far as is known before its rows are counted? */
bool tree_growth_may_divide(const struct growing_tree *growth, uint32_t parent, uint32_t child);

/* The child whose histogram is summed. */
uint32_t tree_growth_summed(const struct growing_tree *growth, uint32_t node);

/* Counts as they will be; nothing of the tree before is left. */
enum status tree_growth_resize(struct growing_tree *growth, uint32_t nodes, uint32_t divided,
                               uint32_t frontier, uint32_t slots, uint32_t free, struct error *err);
/* Do sets of its words pay for what chance gives them? Then units have the tree's dispersion. */
static inline bool tree_growth_has_long_sets(const struct growing_tree *growth)
{
    return growth->bins_ranked > 0;
}
/* The arrays are those of a tree that others grew, of just so many elements. */
struct growing_counts {
    uint32_t nodes, divided, frontier, free_slots;
    uint32_t slots; /* slots of histograms */
    uint32_t words; /* words of long lists */
};
void tree_growth_adopt(struct growing_tree *growth, const struct growing_counts *counts);
/* Takes over the members of such a tree that are in no array. */
void tree_growth_resume(struct growing_tree *growth, uint64_t number, struct tree_units units,
                        uint32_t leaves, uint32_t batch_count);
