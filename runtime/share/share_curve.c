#include "runtime/share/share_curve.h"

#include <math.h>
#include <stdbool.h>

#define GRID           40 /* cells of each side of the grid */
#define MEASURED_ERROR .03
#define USUAL_FIXED    .02
#define FIXED_SPREAD   .03
#define USUAL_WORKER   .0013
#define WORKER_SPREAD  .0015

static uint32_t lanes_of_fullest(const struct share_curve *curve, uint32_t workers)
{
    return (uint32_t)(((uint64_t)curve->lanes + workers - 1) / workers);
}

double share_curve_time(const struct share_curve *curve, uint32_t workers)
{
    const double busy = curve->lanes > 0
                            ? (double)lanes_of_fullest(curve, workers) / (double)curve->lanes
                            : 1 / (double)workers;

    return curve->fixed + busy + curve->per_worker * (double)(workers - 1);
}

double share_curve_speed(const struct share_curve *curve, uint32_t workers)
{
    return share_curve_time(curve, 1) / share_curve_time(curve, workers);
}

/* The least number whose fullest worker has no more lanes. */
static uint32_t least_for(const struct share_curve *curve, uint32_t lanes)
{
    return (curve->lanes + lanes - 1) / lanes;
}

uint32_t share_curve_next(const struct share_curve *curve, uint32_t workers, uint32_t most)
{
    uint32_t next = workers + 1;

    if (curve->lanes > 0) {
        const uint32_t lanes = lanes_of_fullest(curve, workers);

        if (lanes <= 1)
            return 0;
        next = least_for(curve, lanes - 1);
    }
    if (next > most)
        return 0;
    return share_curve_speed(curve, next) - share_curve_speed(curve, workers) >=
                   SHARE_PAYS * (double)(next - workers)
               ? next
               : 0;
}

uint32_t share_curve_previous(const struct share_curve *curve, uint32_t workers, uint32_t least)
{
    uint32_t previous = workers - 1;

    if (workers <= least)
        return least;
    if (curve->lanes > 0)
        previous = least_for(curve, lanes_of_fullest(curve, previous));
    return previous > least ? previous : least;
}

uint32_t share_curve_down(const struct share_curve *curve, uint32_t workers, uint32_t least,
                          uint32_t most)
{
    uint32_t found = least, next;

    while ((next = share_curve_next(curve, found, most)) != 0 && next <= workers)
        found = next;
    return found;
}

uint32_t share_curve_largest(const struct share_curve *curve, uint32_t least, uint32_t most)
{
    return share_curve_down(curve, most, least, most);
}

/* ----- the likeliest curve ----- */

static bool is_good(const struct share_point *point)
{
    return point->workers > 0 && point->seconds > 0 && isfinite(point->seconds);
}

static double square(double value)
{
    return value * value;
}

/* How unlikely the points are, by the squares of their errors. The seconds of one lane after the
 * other are those that suit the points best. */
static double error_of(const struct share_curve *curve, const struct share_point *points,
                       size_t count)
{
    double ratios = 0, squares = 0, error = 0, scale;
    size_t good = 0;

    for (size_t i = 0; i < count; i++) {
        double ratio;

        if (!is_good(&points[i]))
            continue;
        ratio = share_curve_time(curve, points[i].workers) / points[i].seconds;
        ratios += ratio;
        squares += ratio * ratio;
        good++;
    }
    if (good == 0)
        return 0;
    scale = ratios / squares;
    for (size_t i = 0; i < count; i++)
        if (is_good(&points[i]))
            error +=
                square(scale * share_curve_time(curve, points[i].workers) / points[i].seconds - 1);
    return error / square(MEASURED_ERROR);
}

struct share_curve share_curve_fit(uint32_t lanes, const struct share_point *points, size_t count)
{
    struct share_curve best = {.lanes = lanes};
    double least = INFINITY;

    for (int i = 0; i <= GRID; i++)
        for (int j = 0; j <= GRID; j++) {
            const struct share_curve curve = {.lanes = lanes,
                                              .fixed = SHARE_FIXED_MAX * i / GRID,
                                              .per_worker = SHARE_PER_WORKER_MAX * j / GRID};
            const double error = error_of(&curve, points, count) +
                                 square((curve.fixed - USUAL_FIXED) / FIXED_SPREAD) +
                                 square((curve.per_worker - USUAL_WORKER) / WORKER_SPREAD);

            if (error >= least)
                continue;
            least = error;
            best = curve;
        }
    return best;
}

static bool is_measured(const struct share_point *points, size_t count, uint32_t workers)
{
    for (size_t i = 0; i < count; i++)
        if (points[i].workers == workers && is_good(&points[i]))
            return true;
    return false;
}

uint32_t share_curve_probe(const struct share_curve *curve, const struct share_point *points,
                           size_t count, uint32_t workers, uint32_t least, uint32_t most)
{
    const uint32_t half = share_curve_down(curve, workers / 2, least, most);
    const uint32_t largest = share_curve_largest(curve, least, most);

    if (!is_measured(points, count, half))
        return half;
    return is_measured(points, count, largest) ? 0 : largest;
}
