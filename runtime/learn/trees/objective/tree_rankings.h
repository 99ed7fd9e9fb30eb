/*
 * tree_rankings.h - rankings: the derivatives of pairs of rows of a group, and how well its rows
 * are ranked.
 *
 * A group is the rows of a query, which are ranked by their outputs, the greatest first; of equal
 * outputs by their hashes. When two rows have different labels, the one of the greater label should
 * be ranked higher: with s its output, t the other's and p = 1 / (1 + e^(t - s)), the gradient of s
 * is (p - 1) d and that of t its opposite, the hessian of both w p (1 - p) d, where d is
 *
 *     rank:pairwise    1
 *     rank:ndcg        |what NDCG changes by when both swap their ranks| / (.01 + |s - t|)
 *     rank:map         the same of the mean average precision; labels are 0 and 1
 *     lambdarank       as rank:ndcg, with the ideal DCG of the first rows alone
 *
 * and w is 2, of lambdarank 1. Pairs are those of each of the first rows and every row behind it
 * (topk), or of each row and some rows of other labels, drawn by the round and the row's hash
 * (mean). A group's derivatives are multiplied by log2(1 + c) / c, where c is the sum of the
 * absolute gradients, or with mean divided by the pairs of each row. This is XGBoost 3.2's
 * LambdaMART, and LightGBM's (Burges, 2010), without their biases of positions.
 *
 * The loss of a group is 1 less its NDCG, for rank:map 1 less its average precision, of all its
 * rows; it is 0 where no row is relevant.
 */
#pragma once

#include "kinds/trees/trees_attributes.h"
#include "runtime/data/dataset/dataset.h"

#define RANKED_ROWS_MAX 10000 /* rows of a group, as in LightGBM */

struct ranked_row;
struct ranked_label;

/* The groups of rows that lie side by side. */
struct tree_groups {
    uint32_t *starts; /* (count + 1): the first row of each, and behind the last */
    uint32_t count;
    struct ranked_row *rows; /* space for the largest */
    struct ranked_label *labels;
    float *ordered; /* likewise, twice */
};

/* Room for the groups of so many rows at most. NO_MEMORY. */
enum status tree_groups_init(struct tree_groups *groups, uint32_t rows, struct error *err);
/* `rows` rows of the part from `first` on, which are held, are those from row `at` on. *last: the
 * group of the row before, if there is one, and then of the last of these. */
void tree_groups_add(struct tree_groups *groups, const struct dataset_part *part, uint64_t first,
                     uint32_t rows, uint32_t at, uint64_t *last);
/* All rows, of which there are so many, are added. NO_MEMORY; INVALID where a group has more than
 * RANKED_ROWS_MAX rows. */
enum status tree_groups_end(struct tree_groups *groups, uint32_t rows, struct error *err);
void tree_groups_deinit(struct tree_groups *groups);

struct ranking {
    enum tree_objective_name name; /* trees_rank */
    enum tree_pairs pairs;
    uint32_t pair_count;
    bool exp_gain;
    uint64_t seed, round;
};

/*
 * labels, scores (rows); keys (rows): random bits of the rows. gradients, hessians (rows); NULL:
 * they are not wanted, and keys neither. Returns the sum of the groups' losses, each rounded to a
 * multiple of `unit`, in units.
 */
int64_t tree_rankings(const struct ranking *ranking, const struct tree_groups *groups,
                      const float *labels, const float *scores, const uint32_t *keys, double unit,
                      float *gradients, float *hessians);

/* Gives the labels of each group by its ranks, and the greatest first. labels, scores (rows). */
void tree_rankings_each(const struct tree_groups *groups, const float *labels, const float *scores,
                        void (*take)(void *context, const float *ranked, const float *best,
                                     uint32_t n),
                        void *context);
