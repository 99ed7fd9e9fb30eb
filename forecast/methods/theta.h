/*
 * theta.h - Theta: half the way between a trend and exponential smoothing.
 *
 *     theta              the line is that of all values, and weighs one half
 *     optimizedtheta     its weight is fitted, too
 *     dynamictheta       the line is that of the values before, moved on with each value
 *     dynamicoptimizedtheta
 *
 * Where the season is found (seasons.h) the pattern is removed first and restored in the
 * forecast. Level at the start, its weight and the line's are those of the least squares of
 * errors, by Nelder and Mead (Fiorucci et al., Models for optimising the theta method, 2016).
 * Variances are those of exponential smoothing with a drift.
 */
#pragma once

#include "forecast/methods/method.h"

#define THETA_KEPT 7 /* numbers that a fit keeps */

extern const struct method theta_method, optimized_theta_method, dynamic_theta_method,
    dynamic_optimized_theta_method;
