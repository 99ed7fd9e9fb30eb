#include "runtime/learn/fixed_point.h"

#include <math.h>
#include <string.h>

#include "base/vectors.h"
#include "base/words.h"

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

#define RESOLVED_AT_ONCE 512 /* 6 KiB of sums and values: what was just read and written */

WIDE_VECTORS
static void resolve(const int64_t *restrict sums, size_t count, double scale,
                    float *restrict values)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (float)((double)sums[i] * scale);
}

struct fixed_resolved fixed_resolve(const int64_t *sums, size_t count, int exponent, float *values)
{
    const double scale = ldexp(1, -exponent);
    struct fixed_resolved resolved = {0, 0};

    for (size_t at = 0; at < count; at += RESOLVED_AT_ONCE) {
        const size_t some = count - at < RESOLVED_AT_ONCE ? count - at : RESOLVED_AT_ONCE;

        resolve(sums + at, some, scale, values + at);
        resolved.sums += words_sum_long(sums + at, some);
        resolved.values += words_sum(values + at, some);
    }
    return resolved;
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
