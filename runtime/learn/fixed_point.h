/*
 * fixed_point.h - sums of reals whose bits do not depend on grouping.
 *
 *     lane: x --round(x 2^e)--> integer --+--> 64-bit sum --2^-e--> real
 *
 * Additions of integers are exact, so lanes can be summed in any order and any
 * grouping. A lane's values must stay below 2^51 in magnitude: the range in
 * which adding 1.5 x 2^52 to a double leaves the rounded integer in its low
 * bits. 1024 lanes of that stay below 2^61.
 *
 * The exponent of the next step puts the greatest sum of this one at 2^35 to
 * 2^36, so that a lane can be 2^15 times larger than the sum before it
 * overflows, and what is 2^-36 of the greatest becomes zero. Where training
 * converges lanes cancel each other, and are far larger than their sum: then
 * the exponent puts the greatest lane below 2^48, so that the same step is not
 * asked again and again. How large that one was is a level of some bits, and
 * levels are counted, since counts can be added as the sums are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIXED_EXPONENT_FIRST  30
#define FIXED_EXPONENT_MAX    200 /* in magnitude */
#define FIXED_OVERFLOW_STEP   12  /* bits given up when a lane did not fit */
#define FIXED_GREATEST_BITS   36
#define FIXED_LANE_BITS       51
#define FIXED_LANE_NEXT_BITS  48 /* bits that the greatest lane is to have in the next step */
#define FIXED_RAISE           36 /* bits gained when all lanes were rounded to 0 */
#define FIXED_NOT_FINITE_BITS 0x7f800000u

/* Level l: below 2^(4 l) at the exponent, and not below the level before; 0: below 1.
 * Counts of lanes by level, five levels to an integer. */
#define FIXED_LEVEL_BITS  4
#define FIXED_LEVELS      14
#define FIXED_COUNT_BITS  12
#define FIXED_COUNT_WORDS 3

/* The bits of the greatest magnitude: as integers they order like the
 * magnitudes, infinity and what is not a number on top. 0 for no values. */
uint32_t fixed_greatest(const float *values, size_t count);

static inline bool fixed_is_finite(uint32_t greatest)
{
    return greatest < FIXED_NOT_FINITE_BITS;
}

/* Whether values up to that magnitude can be added at this exponent. */
bool fixed_fits(uint32_t greatest, int exponent);

/* sums (count) += round(values 2^exponent), ties to even. All must fit. Returns the sum of the
 * addends, modulo 2^64. */
uint64_t fixed_add(const float *values, size_t count, int exponent, int64_t *sums);

/* Sums of the integers that were read, modulo 2^64, and of the words that were written
 * (base/sums/words.h). */
struct fixed_resolved {
    uint64_t sums;
    uint32_t values;
};

/* values (count) = sums 2^-exponent, rounded to double and then to float. */
struct fixed_resolved fixed_resolve(const int64_t *sums, size_t count, int exponent, float *values);

/* The level of a lane whose values go up to that magnitude; it must fit. -1: all are 0. */
int fixed_level(uint32_t greatest, int exponent);
void fixed_count_level(int level, int64_t counts[FIXED_COUNT_WORDS]);
/* The highest level of all lanes that were counted; -1: none had a value. */
int fixed_highest_level(const int64_t counts[FIXED_COUNT_WORDS]);

/* The exponent for the step after one with this greatest sum and this highest level of a
 * lane. The same where all sums were 0; a greater one where the lanes had values that were
 * too small for it. */
int fixed_next_exponent(uint32_t greatest, int highest_level, int exponent);
int fixed_coarser_exponent(int exponent);
