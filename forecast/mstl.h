/*
 * mstl.h - `mstl`: the seasons removed (stl.h), exponential smoothing of what is left, and each
 * season's last round again; `stlarima`: the same with ARIMA, of the order that is given.
 *
 * All of fitting's seasons are removed of which the series has two, at once: hours of the day and
 * of the week. Variances are those of what is left.
 */
#pragma once

#include "forecast/methods/method.h"

extern const struct method mstl_method;
extern const struct method stl_arima_method;
