/*
 * trees_model.h - a stored model of the kind "trees": boosted trees, a forest, or one tree.
 *
 *     outputs of a row = link(base + offset + sum over the trees of the leaf that the row reaches)
 *
 * The offset is the row's own (transform_offset), of models that have one, the same for each
 * output.
 *
 * Each tree adds to one output: a classifier of k > 2 classes has k outputs, a regressor of k
 * quantiles k, any other model one.
 * Learning rates and the mean of a forest are in the leaf values already.
 *
 * Inputs are as the transform of such a model gives them: numbers as they are, as float, NaN where
 * a value is missing; of a category the id of its word, -1 where it is missing or unknown. In sets
 * ids count from the input's own first one (transform_input.first_id).
 *
 * All that is stored is arrays of finite floats that hold what they stand for exactly: a whole
 * number up to 2^24 is one.
 *
 *     base   (1, outputs)                what each output begins with
 *     trees  (tree_count, TREE_NUMBERS)  first node, number of nodes, output
 *     nodes  (node_count, NODE_NUMBERS)  of each tree its nodes, the root first, children after
 *                                        their parent
 *     sets   (set_count, TREE_SET_NUMBERS)  bits of the values that go left, 16 in a number: bit
 *                                        b of number i of the node's row r is the value
 *                                        256 r + 16 i + b
 */
#pragma once

#include "scoring/model.h"

#define TREES_NODES_MAX ((uint32_t)1 << 24) /* nodes of a model */
#define TREES_MAX       ((uint32_t)1 << 20)
#define TREES_SETS_MAX  ((uint32_t)1 << 22)

#define TREES_WORDS_MOST 65534 /* words of a category that are told apart */

enum tree_number { TREE_FIRST_NODE, TREE_NODE_COUNT, TREE_OUTPUT, TREE_NUMBERS };

enum node_test {
    NODE_LEAF,    /* value: what it adds */
    NODE_BELOW,   /* a number: left where it is less than `value`, compared as floats */
    NODE_IS_IN,   /* a number: left where its whole part, towards 0, is in the set */
    NODE_WORD_IN, /* a category: left where its id, from the input's first one on, is in the set */
    NODE_TESTS
};

enum node_number {
    NODE_TEST,         /* enum node_test */
    NODE_COLUMN,       /* column in dense; in ids for NODE_WORD_IN */
    NODE_VALUE,        /* a leaf's value, or the threshold */
    NODE_LEFT,         /* child, counted from the tree's first node; the right one is the next */
    NODE_MISSING_LEFT, /* 1: a missing value goes left, 0: right */
    NODE_SET,          /* the first row of its set in `sets` */
    NODE_SET_ROWS,     /* rows of the set; a value beyond goes right */
    NODE_GAIN,         /* gain of the split, as it was learned; 0 at a leaf */
    NODE_COVER,        /* sum of the hessians of the rows that came here */
    NODE_NUMBERS
};

#define TREE_SET_NUMBERS 16
#define TREE_SET_VALUES  256 /* values in a row of sets */

/* The function of the sum that is the output. Classifiers have none: their outputs are logits. */
#define TREES_LINK_MAP(X)                                                                          \
    X(TREES_LINK_NONE, "none")                                                                     \
    X(TREES_LINK_EXP, "exp")                                                                       \
    X(TREES_LINK_LOGISTIC, "logistic")

#define TREES_LINK(name, word) name,
enum trees_link { TREES_LINK_MAP(TREES_LINK) TREES_LINKS };
#undef TREES_LINK

/* The content of a model of this kind. */
struct trees_model {
    const float *base; /* (outputs) */
    const float *trees, *nodes, *sets;
    uint32_t outputs, tree_count, node_count, set_count;
    enum trees_link link;
};

static inline const struct trees_model *trees_of(const struct model *model)
{
    return model->content;
}

/* One logit of two classes, else a logit of each class; of a regression one number, or each of its
 * quantiles. */
static inline uint32_t trees_outputs(const struct model *model)
{
    if (model->task == TASK_REGRESSION)
        return model->aim.quantile_count > 0 ? model->aim.quantile_count : 1;
    return model->labels.count == 2 ? 1 : model->labels.count;
}

/* The numbers of a node, of all of the model's. */
static inline const float *trees_node(const struct trees_model *trees, size_t node)
{
    return trees->nodes + node * NODE_NUMBERS;
}
