/*
 * bayes_kind.h - the kind "bayes": naive Bayes of numbers, categories and texts.
 *
 * Names and defaults are those of scikit-learn's GaussianNB, CategoricalNB and, of the words of
 * texts, MultinomialNB. The outputs are the
 * logarithms of the classes' probabilities, less the greatest of them; of two classes the second
 * one's less the first one's.
 */
#pragma once

#include "scoring/kind.h"

#define BAYES_ATTRIBUTES(STORED, PLANNED)                                                          \
    STORED(double, var_smoothing, "model.var_smoothing", SCOPE_TRAIN, IN_KIND(var_smoothing),      \
           REAL(1e-15, 1e6, "1e-09"),                                                              \
           "Added to the variance of a number within each class, in variances of the "             \
           "column over all rows.")                                                                \
    STORED(double, alpha, "alpha", SCOPE_TRAIN, IN_KIND(alpha), REAL(1e-10, 1e6, "1"),             \
           "Rows that are added to those of each word within each class, so that no word is "      \
           "impossible.",                                                                          \
           .aliases = WORDS("model.alpha"))

/* In a struct kind_params. */
struct KIND_PARAMS_TYPE bayes_params {
    BAYES_ATTRIBUTES(ATTRIBUTE_MEMBER, ATTRIBUTE_NO_MEMBER)
};

extern const struct attribute_table bayes_attributes;

static inline struct bayes_params *bayes_params(const struct kind_params *params)
{
    return (struct bayes_params *)(void *)params->bytes;
}

extern const struct kind bayes_kind;
