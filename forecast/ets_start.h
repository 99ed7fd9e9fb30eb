/*
 * ets_start.h - where the search for a model of exponential smoothing begins.
 */
#ifndef FORECAST_ETS_START_H
#define FORECAST_ETS_START_H

#include "forecast/ets_search.h"

/* The states that a search begins with, by the first values, and the numbers of the best of some
 * smoothings with them; INFINITY where none has a likelihood. */
double ets_choose_start(struct ets_search *search, double *numbers);

#endif
