/*
 * tree_split_parts.h - what the files that divide a node's rows share.
 *
 *     tree_split.c       leaves, gains, numbers, which columns are drawn
 *     tree_categories.c  words: one against the rest, sets of an order, lists of wide columns
 */
#pragma once

#include "runtime/learn/trees/growth/tree_split.h"

/* The penalties and limits of a leaf's value: `least` and `most` by bounds and max_delta_step. */
struct penalties {
    double lambda, alpha, least, most;
};

/*
 * The ways to part a node's rows that have a value: each names one of two parts. Rows whose value
 * is missing are apart from it, or with it.
 */
struct partings {
    uint32_t count;
    struct tree_sums parts[TREE_BINS_MAX];
    double gains_apart[TREE_BINS_MAX], gains_with[TREE_BINS_MAX]; /* 0: it may not be */
};

struct rules {
    struct penalties penalties;
    struct tree_units units;
    double parent; /* score of both sides in one */
    double noise;  /* gain that rounding may make */
    double min_child_weight, min_rows;
    double hessian_most; /* hessian, at most, that 1 may stand for */
    int direction;
    uint32_t unordered; /* the parting to which the direction does not matter */
    bool is_plain;      /* neither L1 penalty nor limits of values */
};

/* The facts by which a column's split is found. */
struct finding {
    const struct tree_column *column;
    uint32_t number;
    const struct tree_sums *histogram;
    struct tree_sums total;
    const struct tree_split_options *options;
    struct rules rules;
    struct tree_ranked_word *space; /* NULL: no long sets of a wide column */
};

/* The parting of greatest gain, the first of equal ones. */
struct choice {
    double gain; /* 0: none */
    uint32_t parting;
    bool is_with; /* missing values with the part */
};

static inline struct tree_sums sum_of(struct tree_sums a, struct tree_sums b)
{
    return (struct tree_sums){a.gradient + b.gradient, a.hessian + b.hessian};
}

static inline struct tree_sums difference_of(struct tree_sums a, struct tree_sums b)
{
    return (struct tree_sums){a.gradient - b.gradient, a.hessian - b.hessian};
}

/* The best of the partings, whose gains are computed. */
struct choice tree_split_choose(const struct finding *finding, struct partings *partings);
/* Takes the split if it is the best one so far. `left` has no missing values. */
bool tree_split_take(const struct finding *finding, double gain, struct tree_sums left,
                     bool missing_left, struct tree_split *best);
