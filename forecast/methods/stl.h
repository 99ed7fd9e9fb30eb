/*
 * stl.h - a series as trend, season and rest, by lines through nearby values (loess).
 *
 *     season  values less the trend, each place of the season smoothed over the seasons, less what
 *             of that is no season: its moving mean, smoothed
 *     trend   values less the season, smoothed
 *
 * twice in turn, the trend being 0 first (Cleveland et al., STL: a seasonal-trend decomposition
 * procedure based on loess, 1990). All lines are weighted least squares of degree 1. The longer
 * smoothings are computed at each so many places and joined by lines, so that the work is the
 * same of any season.
 */
#pragma once

#include "forecast/methods/method.h"

/* `window` is odd, from 3: from so many seasons a place is smoothed. Needs two seasons. `season`
 * and `trend` (series->count) are the caller's. */
enum status stl_split(const struct series *series, uint32_t window, const struct fitting *fitting,
                      double *season, double *trend, struct error *err);

/* The same for several seasons, ascending, each without the others in two turns; windows are 11,
 * 15, 19... `parts` are as many series of season by season; `rest` (series->count) is what is left
 * of the values without them. */
enum status stl_split_seasons(const struct series *series, const uint32_t *seasons, uint32_t count,
                              const struct fitting *fitting, double *const *parts, double *rest,
                              struct error *err);

/* Lines through so many nearby values, of values (count) into `smooth` (count). */
void stl_smooth(const double *values, uint32_t count, uint32_t window, double *smooth);
