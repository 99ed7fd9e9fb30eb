#include "runtime/share/share_curve.h"

#include <math.h>
#include <stdbool.h>

#define GRID           40 /* cells of each side of the grid that are equal; then they grow */
#define GROWTH         1.25
#define FIXED_EQUAL    .2 /* up to here cells are equal */
#define WORKER_EQUAL   .01
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

/* The value after this one; above `most`: there is none. */
static double next_of(double value, double equal)
{
    return value < equal * (1 - .5 / GRID) ? value + equal / GRID : value * GROWTH;
}

/* How unlikely a value is, by what is usual: far from it a further step hardly counts, so that a
 * few measurements show a job that is unlike others. */
static double oddity_of(double value, double usual, double spread)
{
    return 2 * log1p(square((value - usual) / spread) / 2);
}

struct share_curve share_curve_fit(uint32_t lanes, const struct share_point *points, size_t count)
{
    struct share_curve best = {.lanes = lanes};
    double least = INFINITY;

    for (double fixed = 0; fixed <= SHARE_FIXED_MAX; fixed = next_of(fixed, FIXED_EQUAL))
        for (double worker = 0; worker <= SHARE_PER_WORKER_MAX;
             worker = next_of(worker, WORKER_EQUAL)) {
            const struct share_curve curve = {.lanes = lanes, .fixed = fixed, .per_worker = worker};
            const double error = error_of(&curve, points, count) +
                                 oddity_of(fixed, USUAL_FIXED, FIXED_SPREAD) +
                                 oddity_of(worker, USUAL_WORKER, WORKER_SPREAD);

            if (error >= least)
                continue;
            least = error;
            best = curve;
        }
    return best;
}
