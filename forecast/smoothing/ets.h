/*
 * ets.h - one model of exponential smoothing: a level, perhaps a trend, perhaps a season.
 *
 *     expected  q + s  or  q * s     where q = level + phi trend
 *     error     value - expected, of additive error; over expected, of multiplicative
 *     level     q + alpha error      trend  phi trend + beta error     season  s + gamma error
 *
 * (with a season that multiplies: error / s for level and trend, error / q for the season). Both
 * kinds of error move the states alike; they differ in likelihood and variances. Smoothing,
 * damping and the states before the first value are those of the greatest likelihood, by BFGS with
 * the gradient of the recursion run backwards (Hyndman et al., Forecasting with exponential
 * smoothing, 2008).
 */
#pragma once

#include "forecast/methods/method.h"

#define ETS_SEASON_MAX 24 /* longest season whose states are fitted */
/* Numbers that fits of all forms keep at most: with such seasons, and of a series without its
 * pattern, which has the forms without a season. */
#define ETS_KEPT          (2 + KEPT_FORMS * (9 + ETS_SEASON_MAX))
#define ETS_KEPT_ADJUSTED (2 + KEPT_FORMS * 10)

enum ets_trend { ETS_NO_TREND, ETS_TREND, ETS_DAMPED };
enum ets_season { ETS_NO_SEASON, ETS_ADDED, ETS_TIMES };

struct ets_form {
    bool is_relative; /* the error multiplies */
    enum ets_trend trend;
    enum ets_season season;
};

struct ets {
    struct ets_form form;
    double alpha, beta, gamma, phi;
    double level, trend; /* before the first value */
    double *seasons;     /* (season) before the first value, that of the first value first */
    uint32_t season;     /* 1 in a form without */
    double criterion;    /* AICc, and what the prior takes off; INFINITY: the model cannot be */
    double variance;     /* the errors' variance */
};

/* Can so short a series, or one with such values, have this form? */
bool ets_is_possible(const struct ets_form *form, const struct series *series);

/* Memory for fits of one series, one after the other. */
struct ets_step;
enum status ets_room_make(uint32_t count, const struct fitting *fitting, struct ets_step **room,
                          struct error *err);

/* A possible form's parameters. */
enum status ets_fit(const struct ets_form *form, const struct series *series,
                    const struct fitting *fitting, struct ets_step *room, struct ets *ets,
                    struct error *err);

/* The projection of method.h. `seasons` (ets->season) is room to work with. */
void ets_project(const struct ets *ets, double *seasons, const struct series *series,
                 uint32_t origin, uint32_t horizon, double *means, double *variances);
