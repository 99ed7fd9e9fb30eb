/*
 * scorecard_kind.h - the kind "scorecard": points of buckets and words, as credit scoring has them.
 *
 * The output is the log odds of the second class; points are an output of their own
 * (scoring/outputs.h).
 */
#pragma once

#include "scoring/kind.h"

#define SCORECARD_ATTRIBUTES(STORED, PLANNED)                                                      \
    STORED(uint32_t, bins, "model.bins", SCOPE_TRAIN, IN_KIND(bins),                               \
           INTEGER(2, BUCKETS_MAX, "10"),                                                          \
           "Buckets of about as many rows that a column of numbers falls into.",                   \
           .aliases = WORDS("model.n_bins", "model.pf_bin_size"))                                  \
    STORED(double, smoothing, "model.smoothing", SCOPE_TRAIN, IN_KIND(smoothing),                  \
           REAL(1e-6, 1e6, "1"),                                                                   \
           "Average rows that are added to each bin, so that a bin without rows of a class "       \
           "has a weight of evidence, too.")                                                       \
    STORED(double, l2, "model.l2", SCOPE_TRAIN, IN_KIND(l2), REAL(0, 1e12, "1"),                   \
           "L2 penalty: l2 / 2 times the square of each coefficient but the intercept is added "   \
           "to the loss.")                                                                         \
    STORED(uint32_t, iterations, "model.max_iter", SCOPE_TRAIN, IN_KIND(iterations),               \
           INTEGER(2, 1000, "35"),                                                                 \
           "Most steps of Newton, each of which is one pass over the rows.")                       \
    STORED(double, base_score, "model.base_score", SCOPE_TRAIN, IN_KIND(base_score),               \
           REAL(-1e6, 1e6, "600"), "Points of a row whose odds are model.base_odds.")              \
    STORED(double, base_odds, "model.base_odds", SCOPE_TRAIN, IN_KIND(base_odds),                  \
           REAL(1e-6, 1e6, "20"),                                                                  \
           "Odds of the class that is not the positive one at model.base_score.")                  \
    STORED(double, pdo, "model.pdo", SCOPE_TRAIN, IN_KIND(pdo), REAL(1e-3, 1e6, "20"),             \
           "Points that double the odds.")

/* In a struct kind_params. */
struct KIND_PARAMS_TYPE scorecard_params {
    SCORECARD_ATTRIBUTES(ATTRIBUTE_MEMBER, ATTRIBUTE_NO_MEMBER)
};

extern const struct attribute_table scorecard_attributes;

static inline struct scorecard_params *scorecard_params(const struct kind_params *params)
{
    return (struct scorecard_params *)(void *)params->bytes;
}

extern const struct kind scorecard_kind;
