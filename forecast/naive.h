/*
 * naive.h - the last value again, or the last season again.
 */
#ifndef FORECAST_NAIVE_H
#define FORECAST_NAIVE_H

#include "forecast/method.h"

extern const struct method naive_method, seasonal_naive_method;

#endif
