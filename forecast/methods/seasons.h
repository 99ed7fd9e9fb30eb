/*
 * seasons.h - does a series repeat itself, and by which pattern?
 */
#pragma once

#include "forecast/methods/method.h"

/* A pattern that the values repeat around their trend. */
struct pattern {
    double *factors; /* (length) of the place in the season; their mean is 1, or 0 where added */
    uint32_t length;
    bool is_product; /* a value is trend times factor; otherwise trend plus factor */
};

/* Is the autocorrelation at the season's lag above what chance gives in one of ten? Needs two
 * seasons, and is false of fewer. */
bool season_is_found(const double *values, uint32_t count, uint32_t season);

/* The same of the series' season; of a fit that is kept (kept.h): was it? */
bool season_is_kept(const struct series *series, const struct fitting *fitting);

/* The longest of these lengths (ascending) that is found; 1 where none is. */
uint32_t season_choose(const double *values, uint32_t count, const uint32_t *lengths,
                       uint32_t length_count);

/* By means of the values' ratios to (or differences from) a centred moving average. A product
 * where all values are above 0 and no factor is near 0. Needs two seasons. */
enum status pattern_find(const struct series *series, const struct fitting *fitting,
                         struct pattern *pattern, struct error *err);

/* The share of the variance around the trend that the pattern explains, at most 1; below 0 where it
 * explains nothing. */
double pattern_strength(const struct pattern *pattern, const struct series *series);

/* The value at a place without the pattern, and with it again. */
double pattern_remove(const struct pattern *pattern, uint32_t place, double value);
double pattern_restore(const struct pattern *pattern, uint32_t place, double value);
/* Variances of values without the pattern to those of values with it. */
double pattern_variance(const struct pattern *pattern, uint32_t place, double variance);
