/*
 * scorecard_model.h - what a stored model of kind "scorecard" consists of.
 *
 * Every input is a category: buckets of numbers, or words. Each has bins, whose training rows are
 * counted by class: the positive one ("bad": a card is to find it) and the other. The weight of
 * evidence of a bin is the logarithm of its odds of bad by those of all rows; a logistic regression
 * has a coefficient for each input's. A bin adds the product of both, `weights`, to the log odds.
 *
 * Points grow with the odds of good: base_score at base_odds, and pdo more for twice the odds. They
 * are rounded bin by bin, and a row's points are their sum, as whoever reads the card adds them up.
 */
#pragma once

#include "scoring/model.h"

#define SCORECARD_BINS_MAX   100000 /* bins of all inputs */
#define SCORECARD_INPUTS_MAX 512

struct scorecard_scale {
    double smoothing, base_score, base_odds, pdo;
};
#define SCORECARD_SCALE_NUMBERS (sizeof(struct scorecard_scale) / sizeof(double))

struct scorecard_model {
    uint32_t inputs, bins;
    struct scorecard_scale scale;
    const double *bad, *good;    /* (bins): weights of the training rows */
    double all_bad, all_good;    /* sums over all rows */
    const double *coefficients;  /* (1 + inputs): intercept, then of each input */
    const float *weights, *bias; /* (bins), (1): to the log odds of the second class */
};

/* The numbers of one bin. */
struct scorecard_bin {
    double bad, good;
    double woe;    /* weight of evidence: above 0 there is more bad than elsewhere */
    double iv;     /* its share of the input's information value */
    double weight; /* to the log odds of bad; as it is stored */
    double points;
};

static inline const struct scorecard_model *scorecard_of(const struct model *model)
{
    return model->content;
}

/* Counts are there: all rows are those of the bins of the first input. */
void scorecard_count_all(struct scorecard_model *card, const struct transform *transform);
/* The weight of evidence of row `id` of all bins; 0 of one without rows. */
double scorecard_woe(const struct scorecard_model *card, uint32_t id);
/* Bin `bin` of input `input`. */
struct scorecard_bin scorecard_bin(const struct model *model, uint32_t input, uint32_t bin);
/* The points of a row without any known bin. */
double scorecard_base_points(const struct model *model);
/* The points of a row. */
double scorecard_points(const struct model *model, const int32_t *ids);
