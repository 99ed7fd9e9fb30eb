#include "runtime/learn/series/series_reach.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort_doubles.h"
#include "runtime/learn/series/series_fit.h"

#define SERIES_MOST 4096 /* series that are looked at, at most: more are passed over evenly */
#define POOL_LEAST  1000 /* errors that a reach is told by, where so many are there */

enum half { HALF_EVEN, HALF_ODD, HALF_BOTH };

struct reach_rows {
    const int64_t *const *records; /* (count), `apart` from one to the next */
    uint32_t count, apart, horizon;
    uint32_t measured;
    double *pool; /* (count * horizon) */
};

static double ratio_of(const struct reach_rows *rows, uint32_t i, uint32_t h)
{
    const int64_t *record = rows->records[(size_t)i * rows->apart];
    double ratio;

    memcpy(&ratio, record + RECORD_STEPS + (size_t)h * RECORD_STEP_WORDS + RECORD_RATIO,
           sizeof ratio);
    return ratio;
}

/* The errors of so many steps on either side of this one, and of it. */
static uint32_t gather(const struct reach_rows *rows, uint32_t h, uint32_t together, enum half half)
{
    const uint32_t first = h > together ? h - together : 0;
    const uint32_t end = h + together < rows->horizon ? h + together + 1 : rows->horizon;
    uint32_t count = 0;

    for (uint32_t i = 0; i < rows->count; i++)
        for (uint32_t step = first; step < end && (half == HALF_BOTH || i % 2 == half); step++)
            if (!isnan(ratio_of(rows, i, step)))
                rows->pool[count++] = ratio_of(rows, i, step);
    return count;
}

/* Takes as few steps as have enough errors: more where no series has a value at this one, as on
 * days when all are closed. */
static uint32_t fill_pool(const struct reach_rows *rows, uint32_t h, enum half half)
{
    uint32_t together = POOL_LEAST / rows->measured / 2;
    uint32_t count = gather(rows, h, together, half);

    while (count < REACH_SERIES_LEAST && together < rows->horizon) {
        together = 2 * together + 1;
        count = gather(rows, h, together, half);
    }
    sort_doubles(rows->pool, count);
    return count;
}

static bool has_errors(const struct reach_rows *rows, uint32_t i)
{
    for (uint32_t h = 0; h < rows->horizon; h++)
        if (!isnan(ratio_of(rows, i, h)))
            return true;
    return false;
}

/* How far a bound of the level is from the forecast: beyond it lies no more than half of what the
 * level leaves, of the errors and of one more; where these are too few for that, such as 38 for
 * 95 %, none of the errors. */
static double bound_of(const struct reach_rows *rows, uint32_t count, double level, bool is_upper)
{
    const double place = ceil((0.5 + 0.5 * level) * ((double)count + 1));
    const uint32_t last = place >= (double)count ? count : (uint32_t)place;
    double reach;

    if (count == 0)
        return 0;
    reach = is_upper ? rows->pool[last - 1] : -rows->pool[count - last];
    return reach > 0 ? reach : 0;
}

static void fill_reaches(const struct reach_rows *rows, struct series_reaches reaches)
{
    for (uint32_t h = 0; h < rows->horizon; h++) {
        const uint32_t count = fill_pool(rows, h, HALF_BOTH);

        for (uint32_t i = 0; i < FORECAST_LEVELS; i++) {
            const size_t place = (size_t)i * rows->horizon + h;

            reaches.above[place] = (float)bound_of(rows, count, forecast_levels[i], true);
            reaches.below[place] = (float)bound_of(rows, count, forecast_levels[i], false);
        }
    }
}

static double measure_coverage(const struct reach_rows *rows, double level)
{
    double within = 0, all = 0;

    for (uint32_t h = 0; h < rows->horizon; h++)
        for (unsigned half = HALF_EVEN; half <= HALF_ODD; half++) {
            const uint32_t count = fill_pool(rows, h, (enum half)half);
            const double above = bound_of(rows, count, level, true);
            const double below = bound_of(rows, count, level, false);

            for (uint32_t i = 0; i < rows->count; i++) {
                if (i % 2 == half || isnan(ratio_of(rows, i, h)))
                    continue;
                all++;
                within += ratio_of(rows, i, h) <= above && ratio_of(rows, i, h) >= -below;
            }
        }
    return all > 0 ? within / all : NAN;
}

enum status series_reaches_find(const int64_t *const *records, uint32_t count, uint32_t horizon,
                                double level, struct series_reaches reaches, bool *has_any,
                                double *coverage, struct error *err)
{
    struct reach_rows rows = {
        .records = records, .apart = (count + SERIES_MOST - 1) / SERIES_MOST, .horizon = horizon};

    rows.count = count / rows.apart;
    for (uint32_t i = 0; i < rows.count; i++)
        rows.measured += has_errors(&rows, i);
    *has_any = rows.measured >= REACH_SERIES_LEAST;
    if (!*has_any)
        return STATUS_OK;
    rows.pool = malloc((size_t)rows.count * horizon * sizeof *rows.pool);
    if (!rows.pool)
        return fail_no_memory(err);
    fill_reaches(&rows, reaches);
    *coverage = measure_coverage(&rows, level);
    free(rows.pool);
    return STATUS_OK;
}

/* The reach at a level between two. */
static double reach_between(const float *reaches, uint32_t horizon, uint32_t h,
                            const struct forecast_interval *interval)
{
    const float *low = reaches + (size_t)interval->below * horizon + h;

    return (double)low[0] + interval->share * ((double)low[horizon] - (double)low[0]);
}

double series_reach_coverage(const int64_t *const *records, uint32_t count, uint32_t horizon,
                             double level, struct series_reaches reaches)
{
    const struct reach_rows rows = {.records = records, .apart = 1, .horizon = horizon};
    const struct forecast_interval interval = forecast_interval_of(level);
    double within = 0, all = 0;

    for (uint32_t h = 0; h < horizon; h++) {
        const double above = reach_between(reaches.above, horizon, h, &interval);
        const double below = reach_between(reaches.below, horizon, h, &interval);

        for (uint32_t i = 0; i < count; i++) {
            if (isnan(ratio_of(&rows, i, h)))
                continue;
            all++;
            within += ratio_of(&rows, i, h) <= above && ratio_of(&rows, i, h) >= -below;
        }
    }
    return all > 0 ? within / all : NAN;
}
