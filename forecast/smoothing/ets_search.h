/*
 * ets_search.h - the likelihood of a model of exponential smoothing as a function of its numbers:
 * parts of ets.c.
 *
 * The numbers of a search are alpha, beta's share of alpha, gamma's share of 1 - alpha, phi, and
 * how far the states before the first value are from those that it begins with, each in units in
 * which a step of 1 matters. Numbers that a form does not have are left out; all but the states lie
 * between bounds.
 */
#pragma once

#include "forecast/methods/descend.h"
#include "forecast/smoothing/ets.h"

#define ETS_LEVEL_LEAST 1e-8 /* a level or season that multiplies is above */

/* Which number of the search is which parameter. */
struct ets_places {
    uint32_t alpha, beta, gamma, phi, level, trend, seasons, count;
};

struct ets_places ets_places_of(const struct ets_form *form, uint32_t season);

/* Quantities that the recursion keeps at each value for the way back. */
struct ets_step {
    double trend, q, season, error;
};

struct ets_search {
    struct ets ets;   /* at the numbers looked at last */
    struct ets start; /* states where the search begins */
    const struct series *series;
    struct ets_places places;
    struct ets_step *steps;  /* (count) */
    double *seasons;         /* (season) while it runs */
    double *season_adjoints; /* (season) */
    double *season_slopes;   /* (season, DESCEND_NUMBERS_MAX) */
    double unit;             /* unit that the numbers count states in */
    double squares;          /* at the numbers looked at last: squared errors, relative ones where
                                the model's are */
};

/* Minus twice the logarithm of the likelihood over the values, with a prior of the trend: the
 * function that is descended; INFINITY where a level or season that multiplies comes near 0. */
double ets_cost(void *search, const double *numbers, double *gradient);
/* About its second derivatives: products of the errors' slopes. */
void ets_curvature(struct ets_search *search, const double *numbers, descend_square curvature);
/* Numbers' bounds. */
void ets_bounds(const struct ets_search *search, double *lower, double *upper);
