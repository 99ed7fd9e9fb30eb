#include "learn/fixed_point.h"

#include <math.h>
#include <string.h>

#include "base/vectors.h"

_Static_assert(FIXED_EXPONENT_MAX + 128 < 1023, "a float times 2^exponent is exact in a double");

WIDE_VECTORS
uint32_t fixed_greatest(const float *values, size_t count)
{
    uint32_t greatest = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t bits;

        memcpy(&bits, &values[i], sizeof bits);
        bits &= 0x7fffffff;
        greatest = bits > greatest ? bits : greatest;
    }
    return greatest;
}

static float magnitude_of(uint32_t bits)
{
    float magnitude;

    memcpy(&magnitude, &bits, sizeof magnitude);
    return magnitude;
}

bool fixed_fits(uint32_t greatest, int exponent)
{
    return fixed_is_finite(greatest) &&
           ldexp((double)magnitude_of(greatest), exponent) < ldexp(1, FIXED_LANE_BITS);
}

WIDE_VECTORS
void fixed_add(const float *restrict values, size_t count, int exponent, int64_t *restrict sums)
{
    const double scale = ldexp(1, exponent), shifter = 0x1.8p52;
    int64_t zero;

    memcpy(&zero, &shifter, sizeof zero);
    for (size_t i = 0; i < count; i++) {
        double shifted = (double)values[i] * scale + shifter;
        int64_t bits;

        memcpy(&bits, &shifted, sizeof bits);
        sums[i] += bits - zero;
    }
}

WIDE_VECTORS
void fixed_resolve(const int64_t *restrict sums, size_t count, int exponent, float *restrict values)
{
    const double scale = ldexp(1, -exponent);

    for (size_t i = 0; i < count; i++)
        values[i] = (float)((double)sums[i] * scale);
}

static int clamp_exponent(int exponent)
{
    if (exponent > FIXED_EXPONENT_MAX)
        return FIXED_EXPONENT_MAX;
    return exponent < -FIXED_EXPONENT_MAX ? -FIXED_EXPONENT_MAX : exponent;
}

int fixed_next_exponent(uint32_t greatest, int exponent)
{
    int power;

    if (greatest == 0)
        return exponent;
    (void)frexp((double)magnitude_of(greatest), &power); /* in [2^(power - 1), 2^power) */
    return clamp_exponent(FIXED_GREATEST_BITS - power);
}

int fixed_coarser_exponent(int exponent)
{
    return clamp_exponent(exponent - FIXED_OVERFLOW_STEP);
}
