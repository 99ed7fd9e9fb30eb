/*
 * method.h - one way to forecast a series, as all of them look to their caller.
 *
 *     fit      parameters from all values of the series, or as they were kept (kept.h)
 *     project  states anew over the first `origin` values with these parameters, and from
 *              there means and variances of the next `horizon` values
 *
 * A fit is a function of the series alone: the same bits on any processor, since nothing but
 * sums, products, quotients, square roots and scoring/numbers/elementary.h is used. Memory comes
 * from the caller's arena and goes with it.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "forecast/methods/kept.h"

#define SEASON_MAX       100000  /* values of one season */
#define SERIES_COUNT_MAX 1000000 /* values of a series, filled gaps among them */
#define HORIZON_MAX      10000
#define SEASONS_MAX      8 /* lengths that one series is looked at for */

/* Evenly spaced values without gaps, the oldest first; each below 1 in magnitude. */
struct series {
    const double *values; /* (count) */
    uint32_t count;       /* at least 1 */
    uint32_t season;      /* values of one season; 1: there is none */
};

struct arima_order;
struct pooled_series;

/* Means that a fit may use, and what the user has given. */
struct fitting {
    struct arena *arena;
    uint32_t horizon;                /* the most steps that project is asked for */
    const struct arima_order *order; /* arima's order (arima.h); NULL: none is given */
    const uint32_t *seasons;         /* lengths it may have, ascending, from 2 */
    uint32_t season_count;
    bool (*is_stopped)(void *stop); /* has the user interrupted? NULL: nobody asks */
    void *stop;
    const struct pooled_series *pooled; /* the trees of many series (pooled.h); NULL: none */
    struct kept *kept;                  /* parameters that are written or read; NULL: nobody asks */
    uint64_t *steps; /* units of work since it was asked last; NULL: it is asked each time */
};

/* INTERRUPTED where the user wants it so, of whom is asked after so many steps of some nanoseconds
 * as stop.h has it: in a database that may be a statement. `more` steps are counted. */
enum status fitting_check(const struct fitting *fitting, uint64_t more, struct error *err);

struct method {
    const char *name; /* the name that users write, in small letters */
    const char *about;
    enum status (*fit)(const struct series *series, const struct fitting *fitting, void **fitted,
                       struct error *err);
    /* `origin` is from 1 to series->count; variances may be NULL. */
    void (*project)(const void *fitted, const struct series *series, uint32_t origin,
                    uint32_t horizon, double *means, double *variances);
    uint32_t kept; /* numbers that a fit keeps at most */
};
