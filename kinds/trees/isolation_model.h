/*
 * isolation_model.h - a stored model of kind "isolation": an isolation forest (Liu, Ting and Zhou,
 * "Isolation Forest", 2008).
 *
 * Trees split rows by thresholds drawn at random, so that a row unlike the others is alone after
 * few splits. A leaf at depth d with n rows of its tree's sample stands for a path of d + c(n)
 * splits, where c(n) is the mean path of n rows:
 *
 *     c(n) = 2 (ln(n - 1) + Euler's constant) - 2 (n - 1) / n,   c(2) = 1,   c(1) = 0
 *
 * The model is that of trees_model.h with one output and no link. A leaf's value is its path over
 * c(rows of a sample) and over the number of trees, so that for a row
 *
 *     sum    = (mean path) / c(rows of a sample)
 *     output = threshold - 2^-sum
 *
 * scikit-learn's score_samples is -2^-sum, its decision_function the output, its offset_ the
 * threshold with the other sign. The output is above 0 where a row is like the training rows.
 *
 *     threshold  (1, 1)   0.5, or what the share of outliers (contamination) needs
 */
#pragma once

#include "kinds/trees/trees_model.h"

#define ISOLATION_THRESHOLD 0.5f /* without contamination */

struct isolation_model {
    struct trees_model trees; /* first: trees_of() finds it */
    const float *threshold;   /* (1) */
};

static inline const struct isolation_model *isolation_of(const struct model *model)
{
    return model->content;
}
