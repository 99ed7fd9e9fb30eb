/*
 * regressors.h - a series of which numbers are known that explain some of it, also of its future.
 *
 *     value = sum of coefficient * regressor + remainder
 *
 * Any method forecasts the remainder. Coefficients are those of a regression with ARIMA errors: in
 * turn the parameters of the remainder's ARIMA are fitted (of the order that a search finds, or of
 * the given one), and coefficients by least squares on the series as the ARIMA filters them, until
 * both stay (Cochrane and Orcutt, Application of least squares regression to relationships
 * containing autocorrelated error terms, 1949). Where the season is too long for an ARIMA, series
 * are taken without the mean of each place in the season.
 *
 * A regressor that does not vary, or that follows from the ones before it, has the coefficient 0,
 * and so have all where there are too few values for them.
 */
#pragma once

#include "forecast/forecast.h"

#define REGRESSORS_MAX 64

struct regressors {
    double *values; /* (count, width): NAN where one is missing, which only a missing value may have
                       beside it, or a filled one */
    uint32_t width; /* at most REGRESSORS_MAX */
};

/* Are there methods that would forecast nothing sensible of a remainder? Those of rare demand. */
bool regressors_suit(const struct method *method);

/* Does what forecast_run does, with the remainder: a value, to come or expected of the history, is
 * that where all regressors are 0. Missing regressors lie on the line between their neighbours.
 * coefficients (width). values and regressors are used up. */
enum status regressors_run(double *values, uint32_t count, const struct regressors *regressors,
                           const struct forecast_options *options, struct arena *arena,
                           struct forecast *forecast, double *coefficients, struct error *err);

/* Sum of the coefficients times a step's regressors (width). */
double regressors_sum(const double *coefficients, const double *regressors, uint32_t width);
