/*
 * tree_split.h - the best way to divide the rows of a node in two, from the sums of its bins.
 *
 * With G and H the sums of gradients and hessians of a set of rows, and G' what the L1 penalty
 * leaves of G (towards 0 by alpha, or 0), a leaf of these rows has the value and the score
 *
 *     w = -G' / (H + lambda), cut to +-max_delta_step        score = G'^2 / (H + lambda)
 *     (where w was cut: score = -(2 G w + (H + lambda) w^2) - 2 alpha |w|)
 *
 * and a split the gain: score of the left + score of the right - score of both. This is XGBoost's
 * and LightGBM's definition, without the factor 1/2 of their papers. The best split is the one of
 * greatest gain; of equal ones that of the lowest column, then of the lowest bin, then missing
 * values right. So in a node without missing values these would go right, as XGBoost has it. Where
 * no row of the node lies between several cuts, the middle one is the split.
 *
 * There is a split only where the gain is no less than gamma, and more than what rounding alone
 * makes of it (NOISE in tree_split.c), so that rows which are all alike stay together; where both
 * sides have at least min_child_weight of hessians, as far as integers can tell, more than none,
 * and min_rows rows, rounded to whole ones as LightGBM does; and where the values of both sides are
 * ordered by the column's monotone constraint, unless one side has missing values alone.
 *
 * The words of a category are parted one from the rest, or where they are many in the order of
 * their ranks (tree_split_options.cat_smooth): the first or the last ones, at most
 * max_cat_threshold and at most half of them, from the rest (Fisher, 1958, as in LightGBM). Those
 * that no row of the node has, or with cat_smooth too few, go with the rest. The words that go left
 * are those that are parted from the rest. In a wide column they are a list.
 *
 * A set of more than TREE_SHORT_WORDS words must gain what chance gives it besides. The halves of k
 * words that tell nothing, sorted by what their few rows happen to have, differ: each word's score
 * is the dispersion (tree_units) times a chi-square's, and parting normal numbers at their median
 * keeps 2 / pi of it. So a long set's gain is what is left of it without 2 / pi k dispersions, and
 * none is looked for where the k scores together are not above k dispersions by more than chance.
 * The words of a short one are too few to matter, as in the libraries.
 *
 * Sums are integers, in units that are the same for all workers, so the best split is, too.
 */
#pragma once

#include "base/random.h"
#include "runtime/learn/trees/growth/tree_bins.h"

/* The sums of the rows of one bin, or of a whole node. */
struct tree_sums {
    int64_t gradient, hessian;
};

/* The gradient and the hessian that 1 stands for in sums. `rows_of_hessian`: a node's rows divided
 * by the sum of their hessians, in integers: how many rows 1 of it is taken to have. `dispersion`:
 * the squares of the tree's gradients by its hessians, what a row's gradient scores by itself; 0
 * where sets are short. */
struct tree_units {
    double gradient, hessian, rows_of_hessian, dispersion;
};

#define TREE_SHORT_WORDS 64
#define TREE_LIST_WORDS  TREE_SHORT_WORDS /* words that lie in a split itself */
#define TREE_LIST_LONG   255              /* `bin` of a split whose list lies elsewhere */

/* A list of more words, while it is looked for the first or the last ones of their order, then in
 * the `words` of the growing tree. */
struct tree_long_list {
    uint32_t first, count;
    uint32_t is_last; /* words are the last ones of the order */
};

/* Splits are kept and compared as bytes: there is 0 between the members of one that was found, and
 * behind a list. */
struct tree_split {
    double gain;     /* above 0; 0: there is none */
    uint32_t column; /* index in tree_bins.columns */
    uint8_t bin;     /* a number's: bins 1 to this one go left; at most bins - 2, as that has a cut
                        above it. has_list: the list's length, or TREE_LIST_LONG */
    bool missing_left;
    bool by_set;
    bool has_list; /* by_set of a wide column */
    union {
        uint64_t set[4]; /* by_set: bit b % 64 of set[b / 64]: bin b goes left; not bin 0 */
        uint16_t list[TREE_LIST_WORDS]; /* has_list: these bins go left, in the order of their
                                           ranks; not bin 0 */
        struct tree_long_list many;     /* has_list, bin is TREE_LIST_LONG: likewise */
    };
    struct tree_sums left, right;
};

/* The bounds of a node: the values of its leaves are kept within [least, most] by monotone
 * constraints above it. -INFINITY and INFINITY: there are none. */
struct tree_bounds {
    double least, most;
};

struct tree_split_options {
    double lambda, alpha, max_delta_step, min_child_weight, gamma;
    bool has_exact_hessians;    /* no integer of a hessian was rounded */
    double min_rows;            /* a leaf's rows, by rows_of_hessian; 0: no limit */
    uint32_t max_cat_to_onehot; /* categories of fewer bins: one against the rest */
    uint32_t max_cat_threshold; /* most bins on the smaller side of a set */
    /* Words are sorted by gradient / (hessian + lambda), by 0 where they have less than
     * min_child_weight. With cat_smooth in lambda's place, and words of fewer rows than that are
     * not sorted. cat_l2 is added to lambda of what is gained by sets that are sorted, and of the
     * values of their leaves. min_group_rows: of a set as of its rest, and of what is added to a
     * set before the next one is measured. */
    double cat_smooth, cat_l2, min_group_rows;
    const int8_t *directions; /* (column_count): of monotone constraints, 1, 0 or -1, 0 of
                                 categories; NULL: none */
};

/* Space to sort the words of a wide column in. */
struct tree_ranked_word {
    double rank;
    uint32_t bin;
};

/* Could a column have sets of more than TREE_SHORT_WORDS words? */
bool tree_split_has_long_sets(const struct tree_column *column,
                              const struct tree_split_options *options);

/* The best split by one column, to *best where it is better than what is there: a split of another
 * column, or one of gain 0. histogram (bins of the column): of a node whose sums are `total`.
 * space (bins), of a wide column that has long sets; NULL: short ones alone. A long list is still
 * to be written. */
void tree_split_find(const struct tree_column *column, uint32_t number,
                     const struct tree_sums *histogram, struct tree_sums total,
                     struct tree_units units, const struct tree_split_options *options,
                     struct tree_bounds bounds, struct tree_ranked_word *space,
                     struct tree_split *best);

static inline bool tree_split_has_long_list(const struct tree_split *split)
{
    return split->has_list && split->bin == TREE_LIST_LONG;
}
/* Writes the long list of a split that was found by these: words (split->many.count). */
void tree_split_write_list(const struct tree_column *column, const struct tree_sums *histogram,
                           struct tree_units units, const struct tree_split_options *options,
                           const struct tree_split *split, struct tree_ranked_word *space,
                           uint16_t *words);

/* A list, and how long it is. words: those of the tree, in which long lists lie. */
static inline uint32_t tree_split_list_length(const struct tree_split *split)
{
    return tree_split_has_long_list(split) ? split->many.count : split->bin;
}
static inline const uint16_t *tree_split_list(const struct tree_split *split, const uint16_t *words)
{
    return tree_split_has_long_list(split) ? words + split->many.first : split->list;
}

/* Is the first the better one? By gain, then the lower column. */
bool tree_split_is_better(const struct tree_split *a, const struct tree_split *b);

/* Does a row with this bin of the split's column go left? words: as above. */
static inline bool tree_split_goes_left(const struct tree_split *split, const uint16_t *words,
                                        uint16_t bin)
{
    if (bin == 0)
        return split->missing_left;
    for (uint32_t i = 0; split->has_list && i < tree_split_list_length(split); i++)
        if (tree_split_list(split, words)[i] == bin)
            return true;
    if (split->has_list)
        return false;
    return split->by_set ? split->set[bin / 64] >> (bin % 64) & 1 : bin <= split->bin;
}

/* The bounds of both children. */
void tree_split_bounds(const struct tree_split *split, struct tree_units units,
                       const struct tree_split_options *options, struct tree_bounds bounds,
                       struct tree_bounds *left, struct tree_bounds *right);

/* May hessians with this sum, in integers, be no less than `least`? Each row's was rounded by less
 * than 1. */
static inline bool tree_hessian_reaches(double sum, double least, struct tree_units units,
                                        const struct tree_split_options *options)
{
    const double rounded = options->has_exact_hessians ? 0 : sum * units.rows_of_hessian;

    return (sum + rounded) * units.hessian >= least;
}

/* Are the column's words parted in an order? Then cat_l2 is for what is parted so. */
bool tree_split_is_by_order(const struct tree_column *column,
                            const struct tree_split_options *options);

/* The value of a leaf, before the learning rate, whose rows have these sums, which are no integers;
 * 0: it has no rows. is_by_order: it is a child of a split by ordered words. */
double tree_leaf_value(double gradient, double hessian, const struct tree_split_options *options,
                       bool is_by_order, struct tree_bounds bounds);

/* How many a share of so many columns is: rounded, at least one where there is one. */
uint32_t tree_columns_drawn(uint32_t from, double share);
/* Which columns a tree, a level or a node may be split by: `allowed` (column_count), 1 or 0, of
 * those that are 1 in `from` so many as tree_columns_drawn of them.
 * By random bits of the seed, for a purpose RANDOM_..._COLUMNS and the number of what they are for.
 * Both may be the same array. */
void tree_columns_draw(const uint8_t *from, uint32_t column_count, double share, uint64_t seed,
                       enum random_purpose purpose, uint64_t number, uint8_t *allowed);
