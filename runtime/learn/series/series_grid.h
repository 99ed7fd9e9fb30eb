/*
 * series_grid.h - the rows of one series -> its values at the even steps of a job.
 */
#pragma once

#include "forecast/time/time_text.h"
#include "runtime/learn/series/series_fit.h"

/* The values of points (count, 1 at least), which are used up, at even steps, NAN in gaps; in a
 * hierarchy up to the end of all series. grid->count is 0 where no point has a value. INVALID for
 * points that no series has. */
enum status series_grid(const struct series_plan *plan, struct point *points, uint32_t count,
                        struct arena *arena, struct grid *grid, struct error *err);
/* Fills gaps as the plan says: those on a line are left to the fit of the series, but for those at
 * the end of one of a hierarchy, which have its last value. */
void series_grid_fill(const struct series_plan *plan, struct grid *grid);

/* A time as an error names it. */
void series_time_print(const struct series_plan *plan, int64_t time, char text[TIME_BYTES]);
