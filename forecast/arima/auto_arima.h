/*
 * auto_arima.h - ARIMA (arima.h) of a given order, or of those that a search finds.
 *
 *     seasonal difference  where the season's pattern explains more than .64 of what is around the
 *                          trend
 *     difference           where the level moves (differences.h)
 *     p, q, P, Q, constant from four orders step by step to the neighbour of less AICc, until there
 *                          is none (Hyndman and Khandakar, Automatic time series forecasting, 2008)
 *
 * Not more than one difference of each kind: trends of second differences go astray. The search
 * fits at most 94 models; p and q are up to 5 and to a third of the values, P and Q up to 2 and to
 * a third of the seasons. A season of more than ETS_SEASON_MAX values that is found is removed
 * first (adjusted.h). Where no model is possible it is the last value's forecast.
 */
#pragma once

#include "forecast/arima/arima.h"

/* The search's models, weighted as in auto_ets.h. */
extern const struct method auto_arima_method;
/* The model of fitting->order; NULL: the search's model of the least AICc alone. */
extern const struct method arima_method;

/* The search's model of the least AICc; false: none is possible. The season is at most
 * ETS_SEASON_MAX. */
enum status auto_arima_search(const struct series *series, const struct fitting *fitting,
                              struct arima *best, bool *has_any, struct error *err);
