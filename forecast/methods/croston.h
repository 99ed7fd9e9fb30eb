/*
 * croston.h - demand that is mostly 0: how large it is and how often it comes, smoothed apart.
 *
 *     croston  size / interval, both smoothed where there is demand
 *     sba      the same times 1 - alpha / 2 (Syntetos and Boylan), which has less bias
 *     tsb      size * probability, which falls with each value without demand (Teunter)
 *
 * The smoothing is 0.1, as in the papers. Variances are those of the values.
 */
#pragma once

#include "forecast/methods/method.h"

extern const struct method croston_method, sba_method, tsb_method;

/* Are more than half of the values 0, and the others above? Then these methods are for them. */
bool demand_is_rare(const struct series *series);
