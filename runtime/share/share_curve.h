/*
 * share_curve.h - how fast a job is with n workers, and which numbers of workers are of use to it.
 *
 *     seconds of a step with n workers:   one lane after the other x (fixed + ceil(lanes / n) /
 * lanes
 *                                                                    + per_worker x (n - 1))
 *
 * A step ends with its fullest worker, so the time falls in stairs: of 64 lanes 60 workers have no
 * fewer than 32 have, two each. A useful number is the job's least one, then each at which the
 * fullest worker has a lane fewer, up to where a further worker adds less than a fifth of what one
 * worker alone does.
 *
 * The curve is the likeliest of a grid, given measured steps with errors of 3 % and what is usual.
 * Jobs that are far from usual exist: of one whose exchange takes as long as its sums the curve
 * rises, and one worker is the fastest.
 *
 * Pure.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SHARE_FIXED_MAX      16.0 /* times the time of all lanes, one after the other */
#define SHARE_PER_WORKER_MAX 4.0
#define SHARE_PAYS           0.2 /* a further worker has to add so much of one worker's speed */

struct share_curve {
    uint32_t lanes;    /* 0: not known, every number is of use */
    double fixed;      /* 0 to SHARE_FIXED_MAX */
    double per_worker; /* 0 to SHARE_PER_WORKER_MAX */
};

/* Seconds of a step, as a part of what all lanes take one after the other. `workers`: 1 at least;
 * where the lanes are not known there are as many as workers. */
double share_curve_time(const struct share_curve *curve, uint32_t workers);
/* How many times as fast as one worker. */
double share_curve_speed(const struct share_curve *curve, uint32_t workers);

/* The useful number after `workers`, which is one itself; 0: there is none, up to `most`. */
uint32_t share_curve_next(const struct share_curve *curve, uint32_t workers, uint32_t most);
/* The one before it, `least` at least. */
uint32_t share_curve_previous(const struct share_curve *curve, uint32_t workers, uint32_t least);
/* The largest useful number from `least` to `most`. */
uint32_t share_curve_largest(const struct share_curve *curve, uint32_t least, uint32_t most);
/* The largest useful number that is not above `workers`, `least` at least. */
uint32_t share_curve_down(const struct share_curve *curve, uint32_t workers, uint32_t least,
                          uint32_t most);

/* Steps that took so many seconds with so many workers. */
struct share_point {
    uint32_t workers;
    double seconds;
};

/* The likeliest curve of a job with so many lanes; without any point, what is usual. Points without
 * a worker or without a positive, finite time are left out. */
struct share_curve share_curve_fit(uint32_t lanes, const struct share_point *points, size_t count);
