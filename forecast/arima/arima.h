/*
 * arima.h - one model of values by those before: ARIMA(p,d,q)(P,D,Q) of a season.
 *
 *     w            the values, differenced d times by 1 and D times by the season, less their mean
 *     phi Phi w  = theta Theta error      polynomials (polynomial.h) of 1 and of the season
 *
 * Parameters are those of the least squares of the errors, where what is before the first value is
 * 0 (conditional squares). The polynomials' roots stay outside of the unit circle, since the search
 * is over their partial autocorrelations (Monahan, A note on enforcing stationarity in
 * autoregressive-moving average models, 1984).
 */
#pragma once

#include "forecast/arima/polynomial.h"
#include "forecast/methods/method.h"

#define ARIMA_LAGS_MAX        POLYNOMIAL_ORDER_MAX /* p and q at most */
#define ARIMA_SEASONS_MAX     3                    /* P and Q at most */
#define ARIMA_DIFFERENCES_MAX 2                    /* d and D at most */

struct arima_order {
    uint32_t ar, differences, ma;                            /* p, d, q */
    uint32_t seasonal_ar, seasonal_differences, seasonal_ma; /* P, D, Q */
    bool has_constant; /* the mean of w is fitted, a drift where d + D is 1; otherwise it is 0 */
};

enum arima_factor { ARIMA_AR, ARIMA_SEASONAL_AR, ARIMA_MA, ARIMA_SEASONAL_MA, ARIMA_FACTORS };

struct arima {
    struct arima_order order;
    uint32_t season;
    struct polynomial factors[ARIMA_FACTORS]; /* c of theta and Theta are minus what others print */
    double mean;
    double variance;         /* the errors' variance */
    double criterion;        /* AICc; INFINITY where a root of phi or theta is nearly 1 */
    struct arima_room *room; /* for forecasts */
};

/* Numbers that are kept of models that a search found, at most, and of one of a given order. */
#define ARIMA_KEPT_SEARCHED 14
#define ARIMA_KEPT          (2 + KEPT_ORDERS * (4 + ARIMA_KEPT_SEARCHED))

/* Memory for models of one series, one at a time: fits and forecasts use it. */
struct arima_room;

/* With forecasts of fitting->horizon steps. */
enum status arima_room_make(const struct series *series, const struct fitting *fitting,
                            struct arima_room **room, struct error *err);

/* Has the series a season where the order needs one, and enough values? */
bool arima_is_possible(const struct arima_order *order, const struct series *series);

/* A possible order's parameters, looked for until a step gains less than a share `gain` of the
 * squares: those of one order, or of one among many of which each is to be compared. */
#define ARIMA_GAIN                1e-7
#define ARIMA_GAIN_OF_ONE_OF_MANY 1e-5
enum status arima_fit(const struct arima_order *order, const struct series *series,
                      const struct fitting *fitting, double gain, struct arima_room *room,
                      struct arima *arima, struct error *err);

/* A fitted model and its weight as they are kept (kept.h), or as they were. */
void arima_keep(const struct series *series, struct arima_room *room, struct kept *kept,
                struct arima *arima, double *weight);

/* Errors that a series would have with these parameters and no mean, into errors (count + horizon
 * of the room's series); how many. They are linear in the values, so that those of a sum are the
 * sum of its parts'. */
uint32_t arima_errors(const struct arima *arima, const double *values, uint32_t count,
                      double *errors);
/* And those of `count` differenced values that are all 1. */
void arima_errors_of_one(const struct arima *arima, uint32_t count, double *errors);

/* The projection of method.h. If there are so few values that differences leave none, it repeats
 * the last one. */
void arima_project(const struct arima *arima, const struct series *series, uint32_t origin,
                   uint32_t horizon, double *means, double *variances);
