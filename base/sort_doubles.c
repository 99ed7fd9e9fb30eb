#include "base/sort_doubles.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

#define LEAST      256 /* fewer numbers are not worth the counters */
#define DIGIT_BITS 11
#define DIGITS     6
#define VALUES     (1 << DIGIT_BITS)
#define SIGN       ((uint64_t)1 << 63)

/* Ascending as unsigned integers where the numbers are. */
static uint64_t key_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits & SIGN ? ~bits : bits | SIGN;
}

static double number_of(uint64_t key)
{
    const uint64_t bits = key & SIGN ? key & ~SIGN : ~key;
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t digit_of(uint64_t key, int digit)
{
    return (uint32_t)(key >> (digit * DIGIT_BITS)) & (VALUES - 1);
}

/* Makes keys, and counts their digits. False: there is a zero with a sign. */
static bool take_keys(const double *values, size_t count, uint64_t *keys,
                      uint32_t counts[DIGITS][VALUES])
{
    const uint64_t signed_zero = key_of(-0.0);

    for (size_t i = 0; i < count; i++) {
        keys[i] = key_of(values[i]);
        if (keys[i] == signed_zero)
            return false;
        for (int digit = 0; digit < DIGITS; digit++)
            counts[digit][digit_of(keys[i], digit)]++;
    }
    return true;
}

/* Moves the keys, in their order, to where their digits belong. */
static void sort_digit(const uint64_t *from, uint64_t *to, size_t count, int digit,
                       uint32_t *counts)
{
    uint32_t place = 0;

    for (uint32_t value = 0; value < VALUES; value++) {
        const uint32_t next = place + counts[value];

        counts[value] = place;
        place = next;
    }
    for (size_t i = 0; i < count; i++)
        to[counts[digit_of(from[i], digit)]++] = from[i];
}

/* False: nothing is sorted. */
static bool sort_keys(double *values, size_t count, uint64_t *keys, uint64_t *other)
{
    uint32_t counts[DIGITS][VALUES] = {0};

    if (!take_keys(values, count, keys, counts))
        return false;
    for (int digit = 0; digit < DIGITS; digit++) {
        uint64_t *sorted = other;

        if (counts[digit][digit_of(keys[0], digit)] == count)
            continue;
        sort_digit(keys, other, count, digit, counts[digit]);
        other = keys;
        keys = sorted;
    }
    for (size_t i = 0; i < count; i++)
        values[i] = number_of(keys[i]);
    return true;
}

void sort_doubles(double *values, size_t count)
{
    uint64_t *keys =
        count >= LEAST && count <= UINT32_MAX ? malloc(count * 2 * sizeof *keys) : NULL;

    if (!keys || !sort_keys(values, count, keys, keys + count))
        qsort(values, count, sizeof *values, order_of_doubles);
    free(keys);
}
