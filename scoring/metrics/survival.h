/*
 * survival.h - times of survival that are known to lie between two bounds: XGBoost's
 * accelerated failure time.
 *
 *     log(time) = z + scale * noise      the noise has a distribution of its own
 *
 *     lower = upper     the time itself: the event was seen
 *     upper infinite    not before `lower`: the row was lost from sight (censored) then
 *     lower 0           not after `upper`
 *     upper < lower     the other way round
 *
 * Derivatives of the negative logarithm of the likelihood by the output z, cut where XGBoost 3.2
 * cuts them; where the likelihood vanishes they are what they tend to. Far from the bounds they are
 * exact, where XGBoost's lose their digits. No library's exp: the same bits everywhere.
 */
#pragma once

#include <float.h>
#include <stdbool.h>
#include <stddef.h>

#define SURVIVAL_LOSS_MOST  128 /* a row's loss, on either side of 0 */
#define SURVIVAL_TIME_LEAST FLT_MIN
#define SURVIVAL_TIME_MOST  FLT_MAX

/* The distribution by which the logarithms of times scatter. */
enum survival_noise { NOISE_NORMAL, NOISE_LOGISTIC, NOISE_EXTREME, NOISES };
extern const char *const survival_noise_words[];

struct survival {
    enum survival_noise noise;
    double scale; /* above 0 */
};

/* lower (n) >= 0; upper (n) >= 0, NaN or infinite: there is none. */
void survival_gradients(struct survival survival, size_t n, const float *lower, const float *upper,
                        const float *z, float *gradients, float *hessians);
/* -log(likelihood), which XGBoost's metric aft-nloglik is the mean of. */
void survival_losses(struct survival survival, size_t n, const float *lower, const float *upper,
                     const float *z, double *losses);

/* 1 - Phi(z) of the normal distribution. */
double survival_normal_tail(double z);
