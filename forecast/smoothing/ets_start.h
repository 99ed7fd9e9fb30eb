/*
 * ets_start.h - where the search for a model of exponential smoothing begins.
 */
#pragma once

#include "forecast/smoothing/ets_search.h"

/* The states that a search begins with, by the first values, and the numbers of the best of some
 * smoothings with them; INFINITY where none has a likelihood. */
double ets_choose_start(struct ets_search *search, double *numbers);
