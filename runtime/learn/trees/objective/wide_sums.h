/*
 * wide_sums.h - sums of reals that are the same in any order: whole numbers of 2^-140, as digits of
 * 28 bits that are added up apart.
 *
 *     digit d of a sum counts 2^(28 d - 140): each row adds less than 2^28 to it, so the digits of
 *     2^35 rows fit into 64 bits
 *
 * A real is cut below 2^-140, and beyond 2^140, and NaN counts as 2^140: what is not finite stays
 * seen.
 */
#pragma once

#include <math.h>
#include <stdint.h>

#define WIDE_DIGITS     10 /* digits of a sum */
#define WIDE_DIGIT_BITS 28
#define WIDE_LEAST_BIT  (-140)
#define WIDE_MOST       0x1p139

static inline void wide_sum_add(int64_t *digits, double x)
{
    const double size = fabs(x) <= WIDE_MOST ? fabs(x) : WIDE_MOST;
    unsigned __int128 bits;
    int exponent, place;

    /* size = mantissa * 2^exponent, the mantissa a whole number below 2^53 */
    bits = (uint64_t)ldexp(frexp(size, &exponent), 53);
    exponent -= 53;
    if (exponent < WIDE_LEAST_BIT) {
        bits = exponent + 53 <= WIDE_LEAST_BIT ? 0 : bits >> (WIDE_LEAST_BIT - exponent);
        exponent = WIDE_LEAST_BIT;
    }
    place = exponent - WIDE_LEAST_BIT;
    bits <<= place % WIDE_DIGIT_BITS;
    for (int digit = place / WIDE_DIGIT_BITS; bits > 0 && digit < WIDE_DIGITS; digit++) {
        const int64_t part = (int64_t)(bits & ((1u << WIDE_DIGIT_BITS) - 1));

        digits[digit] += x < 0 ? -part : part;
        bits >>= WIDE_DIGIT_BITS;
    }
}

static inline double wide_sum_value(const int64_t *digits)
{
    double sum = 0;

    for (int digit = WIDE_DIGITS; digit-- > 0;)
        sum += ldexp((double)digits[digit], digit * WIDE_DIGIT_BITS + WIDE_LEAST_BIT);
    return sum;
}
