/*
 * transform.h - values as their logarithms or powers, and forecasts of these as values again.
 *
 *     lambda   value y becomes           where y is above 0
 *     0        log y
 *     0 to 1   (y^lambda - 1) / lambda   Box and Cox
 *     1        y                         no transform, for any y
 *
 * The values' deviation is then more nearly the same at all levels. What lies in the middle of a
 * forecast comes back as what lies in the middle; its mean is larger, by the bend of the curve
 * times half the variance.
 */
#pragma once

#include <stdint.h>

#define TRANSFORM_NONE 1.0

/* The lambda, of tenths from 0 to 1, by which deviations within seasons depend least on their means
 * (Guerrero); 1 where there are too few values. values (count): above 0, or NAN. */
double transform_choose(const double *values, uint32_t count, uint32_t season);

/* y: above 0, or NAN. Never 0, which some methods would take for no demand. */
double transform_value(double lambda, double y);
/* From 0 to TRANSFORM_MOST. */
double transform_back(double lambda, double x);
/* The mean of what comes back, where x has such a deviation. */
double transform_mean(double lambda, double x, double deviation);

#define TRANSFORM_MOST 1e38 /* models keep numbers as floats */
