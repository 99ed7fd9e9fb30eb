/*
 * aim.h - what the numbers of a regressor are, as far as they are no means of the label, and what
 * they are measured by then.
 *
 *     aim          measured by                   beside the label
 *     means        RMSE, MAE, ...
 *     ranks        NDCG, MAP, MRR                the group of each row
 *     quantiles    Pinball, Coverage             which quantiles
 *     times        AFTNLogLik, Concordance       upper bounds of times; their distribution
 *     hazards      CoxNLogLik, Concordance
 */
#ifndef SCORING_AIM_H
#define SCORING_AIM_H

#include "params/terms.h"
#include "scoring/survival.h"

#define QUANTILES_MAX 16 /* of a model */

struct aim_facts { /* zeros: means */
    enum aim aim;
    double quantiles[QUANTILES_MAX]; /* (quantile_count): each above 0 and below 1 */
    uint32_t quantile_count;
    struct survival survival; /* of times */
    double power;             /* of TweedieNLogLik, where it is called without; 0: 1.5 */
    bool has_linear_gains;    /* of ranks: gains are the labels, not 2^label - 1 */
    bool has_two_labels;      /* of ranks: relevant or not, so MAP is what is learned, not NDCG */
    /* The columns of the training rows; of size 0: there was none. */
    struct slice group, upper;
};

#endif
