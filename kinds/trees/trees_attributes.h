/*
 * trees_attributes.h - what a statement says of boosted trees and forests.
 *
 * Names are XGBoost's; aliases are those of LightGBM and scikit-learn. Defaults are XGBoost's, too;
 * those that LightGBM or scikit-learn have otherwise are with the estimators of these names
 * (planner/attributes/estimators.c).
 */
#pragma once

#include <math.h>

#include "scoring/kind.h"
#include "scoring/metrics/survival.h"

#define TREE_LEAVES_MAX 65536 /* leaves of a tree */
#define TREES_WORDS_FEW 254   /* words of a category whose bins have 8 bits */

#define TREE_OBJECTIVE_MAP(X)                                                                      \
    X(TREE_AUTOMATIC, "auto")                                                                      \
    X(TREE_SQUARED_ERROR, "reg:squarederror")                                                      \
    X(TREE_SQUARED_LOG_ERROR, "reg:squaredlogerror")                                               \
    X(TREE_PSEUDO_HUBER, "reg:pseudohubererror")                                                   \
    X(TREE_ABSOLUTE_ERROR, "reg:absoluteerror")                                                    \
    X(TREE_QUANTILE, "reg:quantileerror")                                                          \
    X(TREE_HUBER, "huber")                                                                         \
    X(TREE_FAIR, "fair")                                                                           \
    X(TREE_MAPE, "mape")                                                                           \
    X(TREE_REGRESSION_LOGISTIC, "reg:logistic")                                                    \
    X(TREE_GAMMA, "reg:gamma")                                                                     \
    X(TREE_TWEEDIE, "reg:tweedie")                                                                 \
    X(TREE_AFT, "survival:aft")                                                                    \
    X(TREE_COX, "survival:cox")                                                                    \
    X(TREE_POISSON, "count:poisson")                                                               \
    X(TREE_RANK_PAIRS, "rank:pairwise")                                                            \
    X(TREE_RANK_NDCG, "rank:ndcg")                                                                 \
    X(TREE_RANK_MAP, "rank:map")                                                                   \
    X(TREE_LAMBDARANK, "lambdarank")                                                               \
    X(TREE_LOGISTIC, "binary:logistic")                                                            \
    X(TREE_LOGIT_RAW, "binary:logitraw")                                                           \
    X(TREE_HINGE, "binary:hinge")                                                                  \
    X(TREE_SOFTMAX, "multi:softmax")                                                               \
    X(TREE_SOFTPROB, "multi:softprob")

#define TREE_OBJECTIVE_NAME(name, word) name,
enum tree_objective_name { TREE_OBJECTIVE_MAP(TREE_OBJECTIVE_NAME) TREE_OBJECTIVES };
#undef TREE_OBJECTIVE_NAME
extern const char *const tree_objective_words[];
extern const char *const tree_objectives_later[];
extern const struct word_alias tree_objective_aliases[];

enum tree_growth { TREE_DEPTHWISE, TREE_LOSSGUIDE };
extern const char *const tree_growth_words[];

extern const char *const tree_method_words[];
enum tree_booster { TREE_GBTREE, TREE_DART, TREE_BOOSTED_GOSS /* gbtree with TREE_GOSS */ };
extern const char *const tree_booster_words[];
extern const struct word_alias tree_booster_aliases[];

/* Which rows a tree is grown from. */
enum tree_row_strategy { TREE_BAGGING, TREE_GOSS };
extern const char *const tree_row_words[];

/* How dart chooses what it drops, and shares (runtime/learn/trees/tree_drops.h). */
enum tree_sample_type { TREE_SAMPLE_UNIFORM, TREE_SAMPLE_WEIGHTED };
extern const char *const tree_sample_words[];
enum tree_normalize_type { TREE_NORMALIZE_TREE, TREE_NORMALIZE_FOREST, TREE_NORMALIZE_LIGHTGBM };
extern const char *const tree_normalize_words[];

/* How many columns a node is split by. */
enum tree_features { TREE_FEATURES_ALL, TREE_FEATURES_SQRT };
extern const char *const tree_features_words[];

/* The second derivative with more than two classes, as a multiple of p (1 - p). */
enum tree_softmax { TREE_SOFTMAX_XGBOOST, TREE_SOFTMAX_LIGHTGBM, TREE_SOFTMAX_SCIKIT };
extern const char *const tree_softmax_words[];

/* Which pairs of a query's rows rankings compare. */
enum tree_pairs { TREE_PAIRS_TOP, TREE_PAIRS_MEAN };
extern const char *const tree_pairs_words[];

#define TREES_ATTRIBUTES(STORED, PLANNED)                                                          \
    STORED(enum tree_objective_name, objective, "objective", SCOPE_TRAIN, IN_KIND(objective),      \
           WORD("auto", tree_objective_words, tree_objectives_later),                              \
           "Objective of the boosting. 'auto': binary:logistic for two classes, "                  \
           "multi:softprob for more, reg:squarederror for numbers. Names of LightGBM and "         \
           "scikit-learn are accepted, too.",                                                      \
           .word_aliases = tree_objective_aliases)                                                 \
    STORED(uint32_t, rounds, "train.num_boost_round", SCOPE_TRAIN, IN_KIND(rounds),                \
           INTEGER(1, 100000, "10"), "Rounds of boosting; each round adds a tree for each class.") \
    STORED(uint32_t, parallel_trees, "num_parallel_tree", SCOPE_TRAIN, IN_KIND(parallel_trees),    \
           INTEGER(1, 10000, "1"), "Trees of one round, a forest; their mean counts.")             \
    STORED(enum tree_growth, growth, "grow_policy", SCOPE_TRAIN, IN_KIND(growth),                  \
           WORD("depthwise", tree_growth_words, NULL),                                             \
           "Which node is split next. depthwise: those nearest to the root; lossguide: the one "   \
           "of greatest gain.")                                                                    \
    STORED(uint32_t, max_depth, "max_depth", SCOPE_TRAIN, IN_KIND(max_depth), INTEGER(0, 64, "6"), \
           "Most splits on the way to a leaf; 0, or -1: no limit.", .minus_one_is_0 = true)        \
    STORED(uint32_t, max_leaves, "max_leaves", SCOPE_TRAIN, IN_KIND(max_leaves),                   \
           INTEGER(0, TREE_LEAVES_MAX, "0"), "Most leaves of a tree; 0, or -1: 65536.",            \
           .minus_one_is_0 = true)                                                                 \
    STORED(uint32_t, max_bin, "max_bin", SCOPE_TRAIN, IN_KIND(max_bin), INTEGER(2, 256, "256"),    \
           "Most bins that the values of a number are divided into; 256 are 255 and the one of "   \
           "missing values, which is always there. Each word of a category has a bin.")            \
    STORED(uint32_t, min_bin_rows, "min_data_in_bin", SCOPE_TRAIN, IN_KIND(min_bin_rows),          \
           INTEGER(1, 1e9, "1"), "Least training rows of a bin of a number.")                      \
    STORED(double, eta, "eta", SCOPE_TRAIN, IN_KIND(eta), REAL(0, 1, "0.3"),                       \
           "Learning rate: the factor of each tree's leaves.")                                     \
    STORED(double, min_child_weight, "min_child_weight", SCOPE_TRAIN, IN_KIND(min_child_weight),   \
           REAL(0, 1e12, "1"), "Least sum of hessians of a leaf's rows.")                          \
    STORED(uint32_t, min_rows, "min_data_in_leaf", SCOPE_TRAIN, IN_KIND(min_rows),                 \
           INTEGER(0, 1e9, "0"), "Least rows of a leaf, estimated by its hessians.")               \
    STORED(double, gamma, "gamma", SCOPE_TRAIN, IN_KIND(gamma), REAL(0, 1e12, "0"),                \
           "Least gain of a split.")                                                               \
    STORED(double, lambda, "lambda", SCOPE_TRAIN, IN_KIND(lambda), REAL(0, 1e12, "1"),             \
           "L2 penalty on the values of leaves.")                                                  \
    STORED(double, alpha, "alpha", SCOPE_TRAIN, IN_KIND(alpha), REAL(0, 1e12, "0"),                \
           "L1 penalty on the values of leaves.")                                                  \
    STORED(double, max_delta_step, "max_delta_step", SCOPE_TRAIN, IN_KIND(max_delta_step),         \
           REAL(0, 1e6, "0"),                                                                      \
           "Most that a leaf may add before eta; 0: no limit, and 0.7 for count:poisson, but "     \
           "for LightGBM's names.")                                                                \
    STORED(double, subsample, "subsample", SCOPE_TRAIN, IN_KIND(subsample), REAL(0, 1, "1"),       \
           "Share of the rows that a tree is grown from.")                                         \
    STORED(double, colsample_bytree, "colsample_bytree", SCOPE_TRAIN, IN_KIND(colsample_bytree),   \
           REAL(0, 1, "1"), "Share of the columns that a tree is grown from.")                     \
    STORED(double, colsample_bylevel, "colsample_bylevel", SCOPE_TRAIN,                            \
           IN_KIND(colsample_bylevel), REAL(0, 1, "1"),                                            \
           "Share of the tree's columns that a level is split by.")                                \
    STORED(double, colsample_bynode, "colsample_bynode", SCOPE_TRAIN, IN_KIND(colsample_bynode),   \
           REAL(0, 1, "1"), "Share of the level's columns that a node is split by.")               \
    STORED(enum tree_features, max_features, "max_features", SCOPE_TRAIN, IN_KIND(max_features),   \
           WORD("all", tree_features_words, ((const char *const[]){"log2", NULL})),                \
           "Columns that a node is split by: 'all', or 'sqrt': the root of their number; a share " \
           "of them is colsample_bynode.")                                                         \
    STORED(double, scale_pos_weight, "scale_pos_weight", SCOPE_TRAIN, IN_KIND(scale_pos_weight),   \
           REAL(0, 1e9, "1"), "Weight of the rows of the positive class; two classes only.",       \
           .tasks = 1 << TASK_CLASSIFICATION)                                                      \
    STORED(double, base_score, "base_score", SCOPE_TRAIN, IN_KIND(base_score),                     \
           REAL(-1e15, 1e15, "auto"),                                                              \
           "The prediction before the first tree. 'auto': by the labels.", .is_automatic = true)   \
    STORED(uint32_t, max_cat_to_onehot, "max_cat_to_onehot", SCOPE_TRAIN,                          \
           IN_KIND(max_cat_to_onehot), INTEGER(1, 256, "4"),                                       \
           "A category of fewer words is split one word against the rest.")                        \
    STORED(uint32_t, max_cat_threshold, "max_cat_threshold", SCOPE_TRAIN,                          \
           IN_KIND(max_cat_threshold), INTEGER(1, 65535, "64"),                                    \
           "Most words on the smaller side of a split of a category. More than 64 go "             \
           "together only if that gains more than uninformative words do by chance.")              \
    STORED(double, cat_smooth, "cat_smooth", SCOPE_TRAIN, IN_KIND(cat_smooth), REAL(0, 1e12, "0"), \
           "Added to the hessians of a word before words are ordered; a word of fewer rows is "    \
           "not parted from the rest.")                                                            \
    STORED(double, cat_l2, "cat_l2", SCOPE_TRAIN, IN_KIND(cat_l2), REAL(0, 1e12, "0"),             \
           "L2 penalty besides lambda in splits by many words and their leaves.")                  \
    STORED(uint32_t, min_group_rows, "min_data_per_group", SCOPE_TRAIN, IN_KIND(min_group_rows),   \
           INTEGER(0, 1e9, "0"), "Least rows of either side of a split by many words.")            \
    STORED(enum tree_softmax, softmax_hessian, "softmax_hessian", SCOPE_TRAIN,                     \
           IN_KIND(softmax_hessian), WORD("xgboost", tree_softmax_words, NULL),                    \
           "Second derivative of more than two classes. 'xgboost': 2 p (1 - p); 'lightgbm': "      \
           "k / (k - 1) p (1 - p); 'scikit-learn': p (1 - p).",                                    \
           .tasks = 1 << TASK_CLASSIFICATION)                                                      \
    PLANNED("monotone_constraints", SCOPE_TRAIN, TEXT(),                                           \
            "Whether predictions may only rise (1) or fall (-1) with a column: by the columns' "   \
            "order, '(1,0,-1)', or by name, '{\"age\": 1}'.",                                      \
            .aliases =                                                                             \
                ((const char *const[]){"monotone_constraint", "monotonic_cst", "mc", NULL}))       \
    PLANNED("interaction_constraints", SCOPE_TRAIN, TEXT(),                                        \
            "Groups of columns that may be on one way to a leaf: '[[0,1],[2,3]]', or by name.",    \
            .aliases = ((const char *const[]){"interaction_cst", NULL}))                           \
    STORED(double, poisson_step, "poisson_max_delta_step", SCOPE_TRAIN, IN_KIND(poisson_step),     \
           REAL(0, 1e6, "auto"),                                                                   \
           "count:poisson: hessians are e^this times the mean. 'auto': max_delta_step.",           \
           .is_automatic = true, .tasks = 1 << TASK_REGRESSION)                                    \
    STORED(double, tweedie_variance_power, "tweedie_variance_power", SCOPE_TRAIN,                  \
           IN_KIND(tweedie_variance_power), REAL(1, 2, "1.5"),                                     \
           "reg:tweedie: power of the mean that the variance follows; above 1 and below 2.")       \
    STORED(double, huber_slope, "huber_slope", SCOPE_TRAIN, IN_KIND(huber_slope),                  \
           REAL(1e-12, 1e12, "1"), "reg:pseudohubererror: error from which the loss is linear.")   \
    STORED(double, huber_alpha, "huber_alpha", SCOPE_TRAIN, IN_KIND(huber_alpha),                  \
           REAL(0, 1e12, "0.9"), "huber: error from which the loss is linear; LightGBM's alpha.")  \
    STORED(double, fair_c, "fair_c", SCOPE_TRAIN, IN_KIND(fair_c), REAL(1e-12, 1e12, "1"),         \
           "fair: error from which the loss is about linear.")                                     \
    STORED(struct reals, quantile_alpha, "quantile_alpha", SCOPE_TRAIN, IN_KIND(quantile_alpha),   \
           REALS(0, 1, "0.9"),                                                                     \
           "reg:quantileerror: share of the rows that lie below the prediction; above 0 "          \
           "and below 1. With a list the model has all quantiles, and predicts the one nearest "   \
           "to 0.5.",                                                                              \
           .aliases = ((const char *const[]){"quantile", NULL}))                                   \
    STORED(enum survival_noise, aft_noise, "aft_loss_distribution", SCOPE_TRAIN,                   \
           IN_KIND(aft_noise), WORD("normal", survival_noise_words, NULL),                         \
           "survival:aft: distribution of the logarithms of times around what is "                 \
           "predicted.")                                                                           \
    STORED(double, aft_scale, "aft_loss_distribution_scale", SCOPE_TRAIN, IN_KIND(aft_scale),      \
           REAL(1e-3, 1e6, "1"), "survival:aft: scale of this distribution.")                      \
    STORED(enum tree_pairs, pairs, "lambdarank_pair_method", SCOPE_TRAIN, IN_KIND(pairs),          \
           WORD("topk", tree_pairs_words, NULL),                                                   \
           "Rankings: pairs of a group that are compared. topk: each row of the first "            \
           "ones, as they are ranked so far, with all behind it; mean: each row with some at "     \
           "random.")                                                                              \
    STORED(uint32_t, pair_count, "lambdarank_num_pair_per_sample", SCOPE_TRAIN,                    \
           IN_KIND(pair_count), INTEGER(1, 10000, "32"),                                           \
           "topk: number of the first rows. mean: pairs of each row; 1 unless it is "              \
           "set.",                                                                                 \
           .aliases = ((const char *const[]){"lambdarank_truncation_level", NULL}))                \
    STORED(bool, exp_gain, "ndcg_exp_gain", SCOPE_TRAIN, IN_KIND(exp_gain), BOOLEAN("true", NULL), \
           "Rankings: a label y gains 2^y - 1; false: y.")                                         \
    PLANNED("tree_method", SCOPE_TRAIN,                                                            \
            WORD("hist", tree_method_words, ((const char *const[]){"exact", "gpu_hist", NULL})),   \
            "How splits are found: by histograms, whichever of these is said.")                    \
    STORED(enum tree_booster, booster, "booster", SCOPE_TRAIN, IN_KIND(booster),                   \
           WORD("gbtree", tree_booster_words, ((const char *const[]){"gblinear", "rf", NULL})),    \
           "Booster: gbtree, which LightGBM calls gbdt; dart: trees, of which each round "         \
           "leaves out some of those before; goss: data_sample_strategy = 'goss'.",                \
           .word_aliases = tree_booster_aliases,                                                   \
           .aliases = ((const char *const[]){"boosting_type", "boosting", NULL}))                  \
    STORED(enum tree_row_strategy, row_strategy, "data_sample_strategy", SCOPE_TRAIN,              \
           IN_KIND(row_strategy), WORD("bagging", tree_row_words, NULL),                           \
           "Which rows a tree is grown from. bagging: those of subsample; goss: those of large "   \
           "gradients, and some of the others.")                                                   \
    STORED(double, top_rate, "top_rate", SCOPE_TRAIN, IN_KIND(top_rate), REAL(0, 1, "0.2"),        \
           "goss: share of the rows with the largest gradients, which are all used.")              \
    STORED(double, other_rate, "other_rate", SCOPE_TRAIN, IN_KIND(other_rate), REAL(0, 1, "0.1"),  \
           "goss: share of all rows that is drawn from the others.")                               \
    STORED(double, rate_drop, "rate_drop", SCOPE_TRAIN, IN_KIND(rate_drop), REAL(0, 1, "0"),       \
           "dart: share of the earlier rounds that a round leaves out.",                           \
           .aliases = ((const char *const[]){"drop_rate", NULL}))                                  \
    STORED(double, skip_drop, "skip_drop", SCOPE_TRAIN, IN_KIND(skip_drop), REAL(0, 1, "0"),       \
           "dart: probability that a round leaves out none.")                                      \
    STORED(uint32_t, max_drop, "max_drop", SCOPE_TRAIN, IN_KIND(max_drop),                         \
           INTEGER(0, 100000, "0"), "dart: most rounds that are left out; 0, or -1: no limit.",    \
           .minus_one_is_0 = true)                                                                 \
    STORED(bool, one_drop, "one_drop", SCOPE_TRAIN, IN_KIND(one_drop), BOOLEAN("false", NULL),     \
           "dart: whether at least one round is left out, unless skip_drop chooses none.")         \
    STORED(enum tree_sample_type, sample_type, "sample_type", SCOPE_TRAIN, IN_KIND(sample_type),   \
           WORD("uniform", tree_sample_words, NULL),                                               \
           "dart: how left-out rounds are drawn. weighted: more often the more they weigh.")       \
    STORED(enum tree_normalize_type, normalize_type, "normalize_type", SCOPE_TRAIN,                \
           IN_KIND(normalize_type), WORD("tree", tree_normalize_words, NULL),                      \
           "dart: weight of a new round: as each that was left out (tree), as all of them "        \
           "(forest), or what LightGBM gives it (lightgbm).")                                      \
    PLANNED("bagging_freq", SCOPE_TRAIN, INTEGER(1, 1, "1"),                                       \
            "Rounds between two draws of rows: each tree has its own.",                            \
            .aliases = ((const char *const[]){"subsample_freq", NULL}))

/* In a struct kind_params. */
struct KIND_PARAMS_TYPE trees_params {
    TREES_ATTRIBUTES(ATTRIBUTE_MEMBER, ATTRIBUTE_NO_MEMBER)
};

extern const struct attribute_table trees_attributes;

static inline struct trees_params *trees_params(const struct kind_params *params)
{
    return (struct trees_params *)(void *)params->bytes;
}

/* Is the round, counted from 0, grown from rows that goss chooses? As LightGBM has it, the first
 * 1 / eta rounds are not. */
static inline bool trees_round_is_goss(const struct trees_params *params, uint32_t round)
{
    return params->row_strategy == TREE_GOSS && round >= (uint32_t)(1 / params->eta);
}

/* The most leaves that a tree may have, by max_leaves and max_depth. */
uint32_t trees_leaves_most(const struct trees_params *params);
/* max_bin, where missing values have one of 256 bins. */
uint32_t trees_bins_most(const struct trees_params *params);
/* Trees of a model that boosts for all its rounds. */
double trees_count(const struct trees_params *params, const struct kind_shape *shape);

/* Leaves become quantiles of what their rows lack: of reg:absoluteerror and mape the median. */
static inline bool trees_have_quantiles(enum tree_objective_name objective)
{
    return objective == TREE_ABSOLUTE_ERROR || objective == TREE_QUANTILE || objective == TREE_MAPE;
}
/* The quantile that the trees of an output predict. */
static inline double trees_quantile(const struct trees_params *params, uint32_t output)
{
    return params->objective == TREE_QUANTILE ? params->quantile_alpha.items[output] : 0.5;
}
/* How many numbers a regressor has: quantiles, else one. */
static inline uint32_t trees_numbers(const struct trees_params *params)
{
    return params->objective == TREE_QUANTILE ? params->quantile_alpha.count : 1;
}

/* Training rows that a word needs to have a bin of its own, in a column of so many words. Among
 * many words, those of fewer rows than cat_smooth are sorted in no node. Where words are few, each
 * has a bin. */
static inline uint64_t trees_word_rows(const struct trees_params *params, uint32_t words)
{
    const bool is_sorted = words > TREES_WORDS_FEW && words >= params->max_cat_to_onehot;

    return is_sorted && params->cat_smooth > 1 ? (uint64_t)ceil(params->cat_smooth - 0.5) : 1;
}

/* Rows are ranked within their groups. */
static inline bool trees_rank(enum tree_objective_name objective)
{
    return objective >= TREE_RANK_PAIRS && objective <= TREE_LAMBDARANK;
}

static inline enum aim trees_aim(enum tree_objective_name objective)
{
    return trees_rank(objective)        ? AIM_RANKS
           : objective == TREE_QUANTILE ? AIM_QUANTILES
           : objective == TREE_AFT      ? AIM_TIMES
           : objective == TREE_COX      ? AIM_HAZARDS
                                        : AIM_MEANS;
}

/* kind.h: moves_label. */
bool trees_move_label(const struct kind_params *params);
/* The task that an objective is of; false: 'auto' is of any. */
bool trees_task(unsigned objective, enum task *task);
/* colsample_bynode of max_features = 'sqrt', now that the columns are known. */
void trees_settle_inputs(struct kind_params *params, const struct kind_shape *shape);

/* Functions of struct kind (scoring/kind.h). */
enum status trees_settle(struct kind_params *params, const struct kind_settings *settings,
                         struct error *err);
bool trees_uses(const struct kind_params *params, const struct attribute *attribute);
struct kind_cost trees_cost(const struct kind_params *params, const struct kind_shape *shape);
void trees_explain(const struct kind_params *params, const struct kind_shape *shape,
                   struct text *detail);
