/*
 * regression_kind.h - the kind "regression": least squares and logistic regression with what
 * statistics says of their coefficients.
 *
 * How rows are scored is the network's (kinds/network): a model is one layer. Beside it there are
 * standard errors, and what the fit as a whole is like (regression_model.h).
 */
#pragma once

#include "scoring/kind.h"

#define REGRESSION_ATTRIBUTES(STORED, PLANNED)                                                     \
    STORED(                                                                                        \
        double, l2, "model.l2", SCOPE_TRAIN, IN_KIND(l2), REAL(0, 1e12, "0"),                      \
        "L2 penalty: l2 / 2 times the square of each coefficient but the intercept is added to "   \
        "the loss. With one there are no standard errors.")                                        \
    STORED(uint32_t, iterations, "model.max_iter", SCOPE_TRAIN, IN_KIND(iterations),               \
           INTEGER(2, 1000, "35"),                                                                 \
           "Most steps of Newton, each of which is one pass over the rows.")

/* In a struct kind_params. */
struct KIND_PARAMS_TYPE regression_params {
    REGRESSION_ATTRIBUTES(ATTRIBUTE_MEMBER, ATTRIBUTE_NO_MEMBER)
};

extern const struct attribute_table regression_attributes;

static inline struct regression_params *regression_params(const struct kind_params *params)
{
    return (struct regression_params *)(void *)params->bytes;
}

extern const struct kind regression_kind;
