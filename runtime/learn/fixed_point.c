#include "runtime/learn/fixed_point.h"

#include <math.h>
#include <string.h>

#include "base/vectors.h"

#define LEVELS_A_WORD 5

_Static_assert(LEVELS_A_WORD *FIXED_COUNT_WORDS >= FIXED_LEVELS, "there is a count for each");
_Static_assert(LEVELS_A_WORD *FIXED_COUNT_BITS<63 && 1 << FIXED_COUNT_BITS> 1024, "of each lane");
_Static_assert(FIXED_LEVEL_BITS *(FIXED_LEVELS - 1) >= FIXED_LANE_BITS,
               "whatever fits has a level");
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
uint64_t fixed_add(const float *restrict values, size_t count, int exponent, int64_t *restrict sums)
{
    const double scale = ldexp(1, exponent), shifter = 0x1.8p52;
    int64_t zero;
    uint64_t added = 0;

    memcpy(&zero, &shifter, sizeof zero);
    for (size_t i = 0; i < count; i++) {
        double shifted = (double)values[i] * scale + shifter;
        int64_t bits;

        memcpy(&bits, &shifted, sizeof bits);
        sums[i] += bits - zero;
        added += (uint64_t)(bits - zero);
    }
    return added;
}

/* The double nearest to an integer. Vectors of most processors cannot convert 64 bits: the halves
 * are put into the low bits of 2^84 and of 2^52, and the last addition rounds. */
VECTORS_PART double nearest(int64_t integer)
{
    const uint64_t upper = ((uint64_t)integer >> 32) ^ 0x4530000080000000u;
    const uint64_t lower = ((uint64_t)integer & 0xffffffffu) | 0x4330000000000000u;
    double high, low;

    memcpy(&high, &upper, sizeof high); /* 2^84 + 2^63 + the upper half, which has a sign */
    memcpy(&low, &lower, sizeof low);   /* 2^52 + the lower half */
    return (high - (0x1p84 + 0x1p63 + 0x1p52)) + low;
}

WIDE_VECTORS
struct fixed_resolved fixed_resolve(const int64_t *restrict sums, size_t count, int exponent,
                                    float *restrict values)
{
    const double scale = ldexp(1, -exponent);
    uint64_t read = 0;
    uint32_t written = 0;

    for (size_t i = 0; i < count; i++) {
        const float value = (float)(nearest(sums[i]) * scale);
        uint32_t word;

        memcpy(&word, &value, sizeof word);
        values[i] = value;
        read += (uint64_t)sums[i];
        written += word;
    }
    return (struct fixed_resolved){read, written};
}

static int clamp_exponent(int exponent)
{
    if (exponent > FIXED_EXPONENT_MAX)
        return FIXED_EXPONENT_MAX;
    return exponent < -FIXED_EXPONENT_MAX ? -FIXED_EXPONENT_MAX : exponent;
}

/* The magnitude is in [2^(power - 1), 2^power). */
static int power_of(uint32_t greatest)
{
    int power;

    (void)frexp((double)magnitude_of(greatest), &power);
    return power;
}

int fixed_level(uint32_t greatest, int exponent)
{
    int bits;

    if (greatest == 0)
        return -1;
    bits = power_of(greatest) + exponent;
    return bits <= 0 ? 0 : (bits - 1) / FIXED_LEVEL_BITS + 1;
}

void fixed_count_level(int level, int64_t counts[FIXED_COUNT_WORDS])
{
    if (level >= 0)
        counts[level / LEVELS_A_WORD] += (int64_t)1 << level % LEVELS_A_WORD * FIXED_COUNT_BITS;
}

int fixed_highest_level(const int64_t counts[FIXED_COUNT_WORDS])
{
    const int64_t mask = ((int64_t)1 << FIXED_COUNT_BITS) - 1;

    for (int level = FIXED_LEVELS; level-- > 0;)
        if (counts[level / LEVELS_A_WORD] >> level % LEVELS_A_WORD * FIXED_COUNT_BITS & mask)
            return level;
    return -1;
}

int fixed_next_exponent(uint32_t greatest, int highest_level, int exponent)
{
    const int for_lanes = exponent + FIXED_LANE_NEXT_BITS -
                          (highest_level > 0 ? highest_level : 0) * FIXED_LEVEL_BITS;
    int next = exponent;

    if (greatest != 0)
        next = FIXED_GREATEST_BITS - power_of(greatest);
    else if (highest_level == 0)
        next = exponent + FIXED_RAISE;
    return clamp_exponent(highest_level > 0 && next > for_lanes ? for_lanes : next);
}

int fixed_coarser_exponent(int exponent)
{
    return clamp_exponent(exponent - FIXED_OVERFLOW_STEP);
}
