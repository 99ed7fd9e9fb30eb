/*
 * exact_columns.h - columns of numbers for tests of exact sums; exact_reference.py has the same.
 */
#pragma once

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define EXACT_ROWS 1001

/* Steele, Lea and Flood's generator of 2014, from a counter. */
static inline uint64_t mixed_bits(uint64_t number)
{
    uint64_t bits = (number + 1) * 0x9e3779b97f4a7c15;

    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    return bits ^ bits >> 31;
}

static inline double share(uint64_t row)
{
    return (double)(mixed_bits(row) >> 11) * 0x1p-53;
}

static inline double any_bits(uint64_t row)
{
    uint64_t bits = mixed_bits(row);
    double number;

    if ((bits >> 52 & 0x7ff) == 0x7ff)
        bits ^= (uint64_t)1 << 62;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static inline double noise_on_a_large_number(uint64_t row)
{
    return 1e15 + share(row);
}

static inline double constant(uint64_t row)
{
    (void)row;
    return 0.1;
}

static inline double greatest(uint64_t row)
{
    return row % 2 ? DBL_MAX : -DBL_MAX;
}

static inline double least(uint64_t row)
{
    return 0x1p-1074 * (double)(row % 3);
}

static inline double one_of_each_end(uint64_t row)
{
    const double numbers[] = {1e308, 5e-324, -1};

    return numbers[row % 3];
}

static inline double many_magnitudes(uint64_t row)
{
    return ldexp(share(row) - 0.5, (int)(mixed_bits(row + 7777) % 160) - 80);
}

static inline double neighbours(uint64_t row)
{
    return 1 + DBL_EPSILON * (double)(row % 5);
}

static inline double whole_numbers(uint64_t row)
{
    return (double)(int64_t)(mixed_bits(row) >> 10) - 0x1p53;
}

static inline double decimals(uint64_t row)
{
    return (double)(mixed_bits(row) % 100000) / 100;
}

/* The mean of each two lies between two neighbours, of which the greater is the even one. */
static inline double odd_neighbours(uint64_t row)
{
    return 1 + DBL_EPSILON * (double)(1 + row % 2);
}

/* The mean of each four is a little more than the number between two neighbours. */
static inline double more_than_a_tie(uint64_t row)
{
    const double numbers[] = {1, 1, 2 + 2 * DBL_EPSILON, 5e-324};

    return numbers[row % 4];
}

/* The scale of each eight is a little more than the number between two neighbours. */
static inline double scale_more_than_a_tie(uint64_t row)
{
    const double numbers[] = {1 + DBL_EPSILON, -1, 0x1p-53 + 0x1p-105, 0x1p-53 - 0x1p-105};

    return row % 8 < 4 ? numbers[row % 8] : 0x1p-53;
}

/* And that of each 32 of these is so by far less. */
static inline double scale_hardly_more_than_a_tie(uint64_t row)
{
    if (row % 32 < 18)
        return row % 2 ? 0x1p52 + 3 : -0x1p52 - 3;
    return row % 32 < 20 ? 5e-324 * (row % 2 ? 1 : -1) : 0;
}

static inline double least_once(uint64_t row)
{
    return row == 0 ? 5e-324 : 0;
}

static double (*const exact_columns[])(uint64_t row) = {
    share,
    any_bits,
    noise_on_a_large_number,
    constant,
    greatest,
    least,
    one_of_each_end,
    many_magnitudes,
    neighbours,
    whole_numbers,
    decimals,
    odd_neighbours,
    more_than_a_tie,
    scale_more_than_a_tie,
    scale_hardly_more_than_a_tie,
    least_once,
};
#define EXACT_COLUMNS ((uint32_t)(sizeof exact_columns / sizeof *exact_columns))
