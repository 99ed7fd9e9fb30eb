/*
 * aim.h - what the numbers of a regressor are, as far as they are no means of the label, or those
 * of a classifier, as far as they are no logits, and what they are measured by then.
 *
 *     aim          measured by                   beside the label
 *     means        RMSE, MAE, ...; of classes LogLoss, AUC, ...
 *     ranks        NDCG, MAP, MRR                the group of each row
 *     quantiles    Pinball, Coverage             which quantiles: a model has a number for each
 *     times        AFTNLogLik, Concordance       upper bounds of times; their distribution
 *     hazards      CoxNLogLik, Concordance
 *     margins      of two classes: as means, without LogLoss
 *     losses       of projections: Loss
 */
#pragma once

#include <math.h>

#include "params/attribute.h"
#include "scoring/metrics/survival.h"

#define QUANTILES_MAX REALS_MAX /* a model's quantiles */

struct aim_facts { /* zeros: means */
    enum aim aim;
    double quantiles[QUANTILES_MAX]; /* (quantile_count): each above 0 and below 1 */
    uint32_t quantile_count;
    struct survival survival; /* distribution of times */
    double power;             /* TweedieNLogLik's, where it is called without; 0: 1.5 */
    bool has_linear_gains;    /* ranks: gains are the labels, not 2^label - 1 */
    bool has_two_labels;      /* ranks: relevant or not, so MAP is learned, not NDCG */
    /* The columns of the training rows; of size 0: there was none. */
    struct slice group, upper;
};

/* Which of a row's numbers is the prediction: among several quantiles the one nearest to the
 * median, the first of those that are equally near; else the only one. */
static inline uint32_t aim_prediction(const struct aim_facts *aim)
{
    const double near_enough = 1e-9; /* 0.1 and 0.9 are equally near */
    uint32_t nearest = 0;

    for (uint32_t i = 1; i < aim->quantile_count; i++)
        if (fabs(aim->quantiles[i] - 0.5) < fabs(aim->quantiles[nearest] - 0.5) - near_enough)
            nearest = i;
    return nearest;
}
