#include "runtime/data/statistics/robust_range.h"

#include <math.h>
#include <stdint.h>

#define NORMAL_TAILS 3.290 /* a normal distribution's width from the share .05 to .95 */

static double quantile(const double *sorted, size_t count, uint32_t percent)
{
    return sorted[(count - 1) * percent / 100];
}

static double width(const double *sorted, size_t count, uint32_t from, uint32_t to)
{
    return quantile(sorted, count, to) - quantile(sorted, count, from);
}

bool robust_range_of(const double *sorted, size_t count, struct robust_range *range)
{
    double deviation;

    *range = (struct robust_range){0};
    if (count < ROBUST_COUNT_MIN)
        return false;
    deviation = width(sorted, count, 25, 75) / ROBUST_HALF;
    if (!(deviation > 0)) /* half of the values are the same one */
        deviation = width(sorted, count, 5, 95) / NORMAL_TAILS;
    if (!(deviation > 0) || !isfinite(deviation))
        return false;
    *range = (struct robust_range){quantile(sorted, count, 50), deviation};
    return true;
}
