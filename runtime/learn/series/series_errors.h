/*
 * series_errors.h - how far a series was forecast from what came, step by step.
 */
#pragma once

#include <stdint.h>

/* Sums over the steps of the past that were forecast and whose value is known. */
struct series_errors {
    double steps, absolute, errors, values; /* values: their magnitudes */
    double shares;          /* 2 |error| / (|value| + |forecast|), 0 where both are 0 */
    double covered;         /* steps within their intervals */
    double scaled_steps;    /* steps of pasts that have a scale; their sums are: */
    double scaled, squares; /* |error| / scale, and its square by the scale of squares */
    double naive_scaled;    /* |error| / scale of the last season's values, */
    double naive_steps;     /* and the steps that have these */
};
#define SERIES_ERRORS (sizeof(struct series_errors) / sizeof(double))

/* The mean difference of values one season apart, and the mean of its square; 0: there are none. */
struct series_scale {
    double absolute, squares;
};
struct series_scale series_scale_of(const double *values, uint32_t count, uint32_t apart);
/* The known value of the last season before `origin`, `ahead` (1 at least) behind it; NAN: it is
 * missing. values: up to `origin`. */
double series_naive(const double *values, uint32_t origin, uint32_t ahead, uint32_t season);

/* The forecast of a step. */
struct series_guess {
    double value, lower, upper;
};
/* value: what came. naive: of series_naive. */
void series_errors_add(struct series_errors *errors, const struct series_guess *guess, double value,
                       double naive, const struct series_scale *scale);

/* The sums of a record (series_fit.h). */
struct series_errors series_errors_of(const int64_t *record);
