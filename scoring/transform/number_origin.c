#include "scoring/transform/number_origin.h"

#include <math.h>

static double quantile(const double *sorted, size_t count, unsigned percent)
{
    return sorted[(count - 1) * percent / 100];
}

/* How many different floats the numbers are, counted from the origin. */
static size_t count_floats(const double *sorted, size_t count, double origin)
{
    size_t different = 1;

    for (size_t i = 1; i < count; i++)
        different += (float)(sorted[i] - origin) != (float)(sorted[i - 1] - origin);
    return different;
}

static size_t count_numbers(const double *sorted, size_t count)
{
    size_t different = 1;

    for (size_t i = 1; i < count; i++)
        different += sorted[i] != sorted[i - 1];
    return different;
}

double number_origin_of_input(const double *sorted, size_t count)
{
    double middle;
    size_t floats;

    if (count == 0)
        return 0;
    floats = count_floats(sorted, count, 0);
    if (floats == count_numbers(sorted, count))
        return 0;
    middle = quantile(sorted, count, 50);
    return isfinite(middle) && count_floats(sorted, count, middle) > floats ? middle : 0;
}

/* The width of the middle half; where it has none, of all. */
static double width_of(const double *sorted, size_t count)
{
    const double middle_half = quantile(sorted, count, 75) - quantile(sorted, count, 25);

    return middle_half > 0 ? middle_half : sorted[count - 1] - sorted[0];
}

/* The median, where that is so many widths from 0. Numbers that are all the same need none if they
 * are a float. */
static double far_middle(const double *sorted, size_t count, double least)
{
    const double middle = quantile(sorted, count, 50), width = width_of(sorted, count);

    if (!isfinite(middle) || (width == 0 && (double)(float)middle == middle))
        return 0;
    return fabs(middle) > least * width ? middle : 0;
}

double number_origin_of_label(const double *sorted, size_t count)
{
    return count > 0 ? far_middle(sorted, count, LABEL_ORIGIN_LEAST) : 0;
}

double number_origin_of_thresholds(const double *sorted, size_t count)
{
    if (count == 0)
        return 0;
    if (width_of(sorted, count) == 0 && fabs(sorted[0]) * 0x1p-24 < LONELY_STEP)
        return 0;
    return far_middle(sorted, count, THRESHOLD_ORIGIN_LEAST);
}
