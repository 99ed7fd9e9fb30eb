/*
 * combined.h - `forecast`: the weighted mean of several methods, which is nearer than the one that
 * did best on a series' past.
 *
 * Exponential smoothing (auto_ets.h), Theta with its weight fitted, of both lines, ARIMA
 * (auto_arima.h), and the last season; where the season is found also smoothing and the last value
 * without the pattern. A method's weight is the mean error at the origins n - h, n - 1.5 h and n -
 * 2 h to the power of -2, where h is the horizon, at least 6; all weigh the same where the series
 * is too short for that. The parameters are those of the whole series; states run anew. Where more
 * than half of the values are 0, it is Croston's method with less bias (croston.h).
 */
#pragma once

#include "forecast/methods/method.h"

extern const struct method combined_method;
