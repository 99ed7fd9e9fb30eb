/*
 * linear_attributes.h - what a statement says of a linear model that is learned from the products
 * of its inputs (runtime/learn/sums/newton.h).
 *
 * Names and defaults are those of XGBoost's booster gblinear.
 */
#pragma once

#include "scoring/kind.h"

/* Weights of one output, its bias among them: the products of all pairs are summed. */
#define LINEAR_COLUMNS_MAX 2048

enum linear_objective {
    LINEAR_AUTOMATIC,
    LINEAR_SQUARED_ERROR,
    LINEAR_LOGISTIC,
    LINEAR_SOFTMAX,
    LINEAR_SOFTPROB
};
extern const char *const linear_objective_words[];
extern const char *const linear_objectives_later[];
extern const struct word_alias linear_objective_aliases[];

extern const char *const linear_booster_words[];
extern const char *const linear_updater_words[];
extern const struct word_alias linear_updater_aliases[];
extern const char *const linear_selector_words[];
extern const char *const linear_selectors_later[];

#define LINEAR_ATTRIBUTES(STORED, PLANNED)                                                         \
    STORED(enum linear_objective, objective, "objective", SCOPE_TRAIN, IN_KIND(objective),         \
           WORD("auto", linear_objective_words, linear_objectives_later),                          \
           "Loss that is minimised. 'auto': binary:logistic for two classes, multi:softprob "      \
           "for more, reg:squarederror for numbers.",                                              \
           .word_aliases = linear_objective_aliases)                                               \
    STORED(uint32_t, rounds, "train.num_boost_round", SCOPE_TRAIN, IN_KIND(rounds),                \
           INTEGER(1, 100000, "10"), "Rounds: each weight moves once in a round.")                 \
    STORED(double, eta, "eta", SCOPE_TRAIN, IN_KIND(eta), REAL(0, 1, "0.5"),                       \
           "Share of its best move that a weight takes.")                                          \
    STORED(                                                                                        \
        double, lambda, "lambda", SCOPE_TRAIN, IN_KIND(lambda), REAL(0, 1e12, "0"),                \
        "L2 penalty on weights, times the rows or the sum of their weights; the bias has none.")   \
    STORED(                                                                                        \
        double, alpha, "alpha", SCOPE_TRAIN, IN_KIND(alpha), REAL(0, 1e12, "0"),                   \
        "L1 penalty on weights, times the rows or the sum of their weights; the bias has none.")   \
    STORED(double, base_score, "base_score", SCOPE_TRAIN, IN_KIND(base_score),                     \
           REAL(-1e15, 1e15, "auto"),                                                              \
           "Prediction that the first round starts from: a number, or of two classes the "         \
           "probability of the second one. 'auto': the mean of the labels, or the classes' "       \
           "shares of the rows.",                                                                  \
           .is_automatic = true)                                                                   \
    PLANNED(                                                                                       \
        "booster", SCOPE_TRAIN,                                                                    \
        WORD("gblinear", linear_booster_words, ((const char *const[]){"gbtree", "dart", NULL})),   \
        "Booster: a linear model.")                                                                \
    PLANNED("updater", SCOPE_TRAIN, WORD("coord_descent", linear_updater_words, NULL),             \
            "How weights move: one after the other, in the order of the columns. 'shotgun' is "    \
            "taken, too, and does the same: here it needs no luck.",                               \
            .word_aliases = linear_updater_aliases)                                                \
    PLANNED("feature_selector", SCOPE_TRAIN,                                                       \
            WORD("cyclic", linear_selector_words, linear_selectors_later),                         \
            "Which weight moves next: each in turn.")

/* In a struct kind_params. */
struct KIND_PARAMS_TYPE linear_params {
    LINEAR_ATTRIBUTES(ATTRIBUTE_MEMBER, ATTRIBUTE_NO_MEMBER)
};

extern const struct attribute_table linear_attributes;

static inline struct linear_params *linear_params(const struct kind_params *params)
{
    return (struct linear_params *)(void *)params->bytes;
}

/* Functions of struct kind (scoring/kind.h). */
enum status linear_settle(struct kind_params *params, const struct kind_settings *settings,
                          struct error *err);
bool linear_task(unsigned objective, enum task *task);
bool linear_uses(const struct kind_params *params, const struct attribute *attribute);
struct kind_cost linear_cost(const struct kind_params *params, const struct kind_shape *shape);
void linear_explain(const struct kind_params *params, const struct kind_shape *shape,
                    struct text *detail);
