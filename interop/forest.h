/*
 * forest.h - trees between a file of another program and a model of ours.
 *
 *     reading    forest_init --(forest_add_set, forest_add_tree)*--> forest_finish --> trees_model
 *     writing    forest_order: a model's trees in rounds, of each output one, as both programs
 *                number them
 *
 * A reader gives each tree as its file has it, a list of nodes with the places of their children.
 * forest_add_tree walks it from the root, so that a node with two parents, a circle and a child
 * that is not there are found, and lays it out as our models are: children side by side, behind
 * their parent. Nodes that no way leads to are left out.
 *
 * Columns are numbers of features until forest_finish, which knows which of them are categories.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "base/stop.h"
#include "kinds/trees/trees_model.h"
#include "params/notice_list.h"

#define FOREST_SET_ROWS_MAX ((uint32_t)1 << 20)
#define FOREST_CODES_MAX    ((uint32_t)1 << 24) /* codes of categories are below: XGBoost's limit */

struct forest_feature {
    struct slice name;
    struct slice *words; /* (word_count): by code; NULL: it is a number, or its codes are */
    uint32_t word_count;
};

/* A model of another program. */
struct forest {
    const char *estimator; /* "XGBClassifier" */
    enum task task;
    uint32_t classes; /* 0 of a regressor; 2 have one output, more have one each */
    uint32_t outputs;
    /* Two classes whose file has an output of each: the trees of the first one are turned to the
     * other side, and one output is left. */
    bool joins_outputs;
    double quantiles[QUANTILES_MAX]; /* (quantile_count): the outputs' levels; 0: they are none */
    uint32_t quantile_count;
    enum trees_link link;
    double *base; /* (outputs): before the first tree, in the units of leaves */
    struct forest_feature *features;
    uint32_t feature_count;

    struct notice_list notices;     /* facts of the file that the model does not have */
    const struct stop *stop;        /* asked before each tree; NULL: nobody is */
    struct text trees, nodes, sets; /* floats, as trees_model.h has them */
    uint32_t tree_count, node_count, set_rows;
    bool has_doubles;    /* its program compares and adds doubles, that of `exact` */
    struct text doubles; /* (node_count) then */
    /* Members made by forest_finish: (feature_count), and the label's; forest_origins.h. Else 0. */
    double *origins, label_origin;
};

struct forest_node {
    enum node_test test; /* NODE_LEAF, NODE_BELOW, NODE_IS_IN */
    uint32_t feature;    /* below forest.feature_count, as forest_add_tree checks */
    float value;         /* a leaf's value, or the threshold: no NaN, and a leaf's is finite */
    double exact;        /* forest.has_doubles: the leaf, or at most what goes left */
    int64_t left, right; /* places in the list */
    bool missing_left;
    uint32_t set, set_rows; /* from forest_add_set */
    float gain, cover;      /* anything else than a number is stored as 0 */
};

/* Empty; the reader fills what stands before the texts. */
void forest_init(struct forest *forest);
void forest_deinit(struct forest *forest);

/* A set of codes, each below FOREST_CODES_MAX: its first row and how many it has. CORRUPT for other
 * codes, LIMIT where the forest has too many rows. */
enum status forest_add_set(struct forest *forest, const double *codes, size_t count, uint32_t *set,
                           uint32_t *set_rows, struct error *err);
/* Node 0 is the root. CORRUPT, LIMIT, NO_MEMORY. */
enum status forest_add_tree(struct forest *forest, const struct forest_node *nodes, uint32_t count,
                            uint32_t output, struct error *err);
/* The arrays, in the arena, as the origins are; a node's column is one of dense or of ids. CORRUPT
 * where a feature with words is compared as a number. */
enum status forest_finish(struct forest *forest, struct arena *arena, struct trees_model *model,
                          struct error *err);

/* No tree of the output in this round: it adds nothing there. */
#define FOREST_NO_TREE UINT32_MAX

struct forest_order {
    uint32_t rounds; /* 1 at least */
    uint32_t *trees; /* (rounds, outputs): numbers of the model's trees */
};
enum status forest_order(const struct trees_model *model, struct arena *arena,
                         struct forest_order *order, struct error *err);

/* Node `i` of a tree of the model. */
static inline const float *forest_node_at(const struct trees_model *model, uint32_t tree,
                                          uint32_t i)
{
    const size_t first = (size_t)model->trees[(size_t)tree * TREE_NUMBERS + TREE_FIRST_NODE];

    return model->nodes + (first + i) * NODE_NUMBERS;
}

static inline uint32_t forest_tree_nodes(const struct trees_model *model, uint32_t tree)
{
    return (uint32_t)model->trees[(size_t)tree * TREE_NUMBERS + TREE_NODE_COUNT];
}

/* Is the code in the set of this node? */
static inline bool forest_set_has(const struct trees_model *model, const float *node, uint32_t code)
{
    const uint32_t row = code / (TREE_SET_NUMBERS * 16);
    const float *set;

    if ((float)row >= node[NODE_SET_ROWS])
        return false;
    set = model->sets + ((size_t)node[NODE_SET] + row) * TREE_SET_NUMBERS;
    return (uint32_t)set[code / 16 % TREE_SET_NUMBERS] >> code % 16 & 1;
}
