/*
 * scorecard_model.h - what a stored model of kind "scorecard" consists of.
 *
 * Every input is a category: buckets of numbers, or words. Of the rows of each, its bins, the
 * training rows are counted that are of the positive class ("bad": what a card is to find) and of
 * the other. The weight of evidence of a bin is the logarithm of its odds of bad by those of all
 * rows; a logistic regression has a coefficient for each input's. What a bin adds to the log odds
 * is the product of both, `weights`.
 *
 * Points grow with the odds of good: base_score at base_odds, and pdo more for twice the odds. They
 * are rounded bin by bin, and a row's points are their sum, as whoever reads the card adds them up.
 */
#ifndef KINDS_SCORECARD_SCORECARD_MODEL_H
#define KINDS_SCORECARD_SCORECARD_MODEL_H

#include "scoring/model.h"

#define SCORECARD_BINS_MAX   100000 /* of all inputs */
#define SCORECARD_INPUTS_MAX 512

struct scorecard_scale {
    double smoothing, base_score, base_odds, pdo;
};
#define SCORECARD_SCALE_NUMBERS (sizeof(struct scorecard_scale) / sizeof(double))

struct scorecard_model {
    uint32_t inputs, bins;
    struct scorecard_scale scale;
    const double *bad, *good;    /* (bins): weights of the training rows */
    double all_bad, all_good;    /* of all rows */
    const double *coefficients;  /* (1 + inputs): intercept, then of each input */
    const float *weights, *bias; /* (bins), (1): to the log odds of the second class */
};

/* Of one bin. */
struct scorecard_bin {
    double bad, good;
    double woe;    /* weight of evidence: above 0 there is more bad than elsewhere */
    double iv;     /* what it adds to the input's information value */
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
/* What a row without any known bin has. */
double scorecard_base_points(const struct model *model);
/* The points of a row. */
double scorecard_points(const struct model *model, const int32_t *ids);

#endif
