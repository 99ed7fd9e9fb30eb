/*
 * series_lanes.h - what a lane adds in each phase of series.h.
 */
#pragma once

#include "runtime/learn/series/series_learner.h"

/* Adds the lane's share of the phase to the sums. */
enum status series_contribute(struct series_learner *series, uint32_t lane, int64_t *sums,
                              struct error *err);
