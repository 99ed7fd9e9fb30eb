/*
 * forecast.h - values as they come, and what will come next.
 *
 *     values, NAN where one is missing --forecast_run--> value, lower and upper of each next step
 *
 * Missing values between others are filled by the line from one neighbour to the other; missing
 * ones at either end are left out, and the caller counts the steps from the last value. The series
 * is scaled by a power of two, which changes no digit; a series of one number has that number for a
 * forecast, exactly. The interval is the normal one of the model's variance.
 *
 * Values of the history may be asked for, too: each as the step that the fitted model expects after
 * all that is known before it. The parameters are those of the whole series, the states are not.
 * The first one behind a gap is expected as many steps ahead, since what fills the gap looks at it;
 * behind a gap longer than the horizon nothing is.
 */
#pragma once

#include "forecast/arima/arima.h"
#include "forecast/pooled.h"

#define HISTORY_MAX   10000 /* values of the past that are expected */
#define FORECAST_KEPT 3     /* numbers that are kept of any series, beside those of the method */

struct forecast_options {
    const struct method *method;
    uint32_t horizon;      /* 1 to HORIZON_MAX */
    uint32_t history;      /* last values that are expected, too, 0 to HISTORY_MAX */
    const bool *are_known; /* those of the values that were no gaps; NULL: those that are numbers */
    double level;          /* share of what comes that is to lie in the interval: 0.8 */
    uint32_t seasons[SEASONS_MAX]; /* lengths it may have, ascending, from 2 */
    uint32_t season_count;         /* 0: none */
    bool season_is_given;          /* the first one holds where there are two of it, found or not */
    struct arima_order order;      /* order of the method arima */
    bool has_order;                /* false: it is searched for */
    struct pooled_series pooled;   /* for the method of trees */
    bool is_remainder;             /* a remainder of regressors: nothing is cut at 0 */
    bool (*is_stopped)(void *stop); /* NULL: nobody asks */
    void *stop;
    struct kept *kept; /* parameters that are written or read (kept.h); NULL: neither */
};

struct forecast {
    double *values, *lower, *upper;         /* (horizon) in the arena */
    double *deviations;                     /* (horizon): deviations of the values to come */
    double *expected, *expected_deviations; /* (expected_count): of the last values, the newest
                                               last; NAN: beyond the numbers of a double, or
                                               behind a long gap */
    uint32_t expected_count; /* at most history, and one less than there are values */
    uint32_t season;         /* the season used; 1: none */
};

/* All methods by their names, or the nearest one in the hint. */
enum status forecast_method(struct slice name, const struct method **method, struct error *err);

/* One more length that a season may have, in its place; 1, and one that is there, add nothing. */
void forecast_add_season(struct forecast_options *options, uint32_t length);
/* Are forecasts of values that are never below 0 cut there? */
bool forecast_cuts(const struct method *method);
/* Has it no season where the method or the order needs one? */
bool forecast_lacks_season(const struct forecast_options *options);

/* Missing values between two others are put on the line between them. */
void forecast_fill_gaps(double *values, uint32_t count);
/* Those that are no gaps, in the arena; NULL: there is no memory. */
const bool *forecast_list_known(const double *values, uint32_t count, struct arena *arena);
/* The season that these values are forecast with; 1: none. */
uint32_t forecast_choose_season(const double *values, uint32_t count,
                                const struct forecast_options *options);

/* The number of standard deviations on either side within which such a share lies. */
double normal_quantile_of_level(double level);
/* The share that lies within so many, from 0 on. */
double normal_level_of_quantile(double deviations);

/* `values` (count) is scaled and filled in place; none is infinite, and at least one is no NAN.
 * What does not fit into a number in the end is INVALID. Without a forecast where the parameters
 * that are read are spoiled. */
enum status forecast_run(double *values, uint32_t count, const struct forecast_options *options,
                         struct arena *arena, struct forecast *forecast, struct error *err);
