/*
 * mixture.h - forecasts of several models as one: the weighted mean, and as its variance what is
 * within the models and between them.
 */
#pragma once

#include "forecast/methods/method.h"

struct mixture {
    double *next_means, *next_variances; /* (horizon) of the model that is added next */
    double *means, *variances;           /* the caller's arrays; variances may be NULL */
    double weight;                       /* sum of the weights added so far */
    uint32_t horizon;
};

/* Room for forecasts of fitting->horizon steps. */
enum status mixture_init(struct mixture *mixture, const struct fitting *fitting, struct error *err);
void mixture_begin(struct mixture *mixture, uint32_t horizon, double *means, double *variances);
/* From the criterion of each model (AICc, finite) to its weight: their sum is 1, and models that
 * are much worse than the best have 0. is_best_alone: the first of the best ones has 1. */
void mixture_weigh(double *weights, uint32_t count, bool is_best_alone);
/* Leaves the `most` greatest weights, the first ones of equal ones, with 1 for their sum. */
void mixture_limit(double *weights, uint32_t count, uint32_t most);
/* Adds the model whose forecasts stand in next_means and next_variances. `weight` is above 0. */
void mixture_add(struct mixture *mixture, double weight);
