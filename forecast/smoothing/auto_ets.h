/*
 * auto_ets.h - all forms of exponential smoothing that a series can have, weighted or the best.
 *
 * A form's weight is e^(-AICc/2), which small series share among several forms; what is below a
 * thousandth of the greatest is left out. Variances are those within the forms and between them.
 * A season of more than ETS_SEASON_MAX values that is found is removed first (adjusted.h). A series
 * of fewer than five values has the last value's forecast.
 */
#pragma once

#include "forecast/methods/method.h"

extern const struct method auto_ets_method; /* weighted */
extern const struct method ets_method;      /* the form of the least AICc alone */
