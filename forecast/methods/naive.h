/*
 * naive.h - the last value again, or the last season again.
 */
#pragma once

#include "forecast/methods/method.h"

extern const struct method naive_method;
extern const struct method seasonal_naive_method;
