#include "runtime/data/statistics/exact_measure.h"

#include <math.h>
#include <string.h>

#define UNIT_BITS     1074 /* sums are in units of 2^-UNIT_BITS */
#define MANTISSA_BITS 53
#define LEADING_BITS                                                                               \
    124                  /* even, and divided by a count of 64 bits more than a mantissa is left   \
                          */
#define PRODUCT_WORDS 68 /* words of a count times squares, and of a sum times itself */

_Static_assert(PRODUCT_WORDS > EXACT_SQUARE_WORDS && PRODUCT_WORDS >= 2 * EXACT_SUM_WORDS,
               "products of the sums have room");

typedef unsigned __int128 unsigned_wide;

/* ---- integers of many words, none negative ---- */

static uint32_t bit_length(const uint64_t *words, uint32_t count)
{
    while (count > 0 && words[count - 1] == 0)
        count--;
    return count ? 64 * count - (uint32_t)__builtin_clzll(words[count - 1]) : 0;
}

/* The bit at a place; 0 at a place below 0. */
static uint32_t bit_at(const uint64_t *words, int place)
{
    return place < 0 ? 0 : (uint32_t)(words[place / 64] >> (place % 64) & 1);
}

static bool has_bits_below(const uint64_t *words, int place)
{
    for (int i = 0; i < place; i += 64)
        if (place - i >= 64 ? words[i / 64] : words[i / 64] << (64 - (place - i)))
            return true;
    return false;
}

static void negate(uint64_t *words, uint32_t count)
{
    bool carry = true;

    for (uint32_t i = 0; i < count; i++) {
        words[i] = ~words[i] + carry;
        carry = carry && words[i] == 0;
    }
}

/* words (count + 1) += other (count) factor. */
static void add_product(uint64_t *words, const uint64_t *other, uint32_t count, uint64_t factor)
{
    uint64_t carry = 0;

    for (uint32_t i = 0; i < count; i++) {
        const unsigned_wide sum = (unsigned_wide)other[i] * factor + words[i] + carry;

        words[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    words[count] += carry;
}

/* False where the difference is negative. */
static bool subtract(uint64_t *words, const uint64_t *other, uint32_t count)
{
    uint64_t borrow = 0;

    for (uint32_t i = 0; i < count; i++) {
        const unsigned_wide difference = (unsigned_wide)words[i] - other[i] - borrow;

        words[i] = (uint64_t)difference;
        borrow = (uint64_t)(difference >> 64) & 1;
    }
    return borrow == 0;
}

/* ---- rounding ---- */

/* A number whose last bits are cut off: integer 2^exponent, and more where `is_more`, but less than
 * 2^exponent more. The integer has more bits than a mantissa, or all is 0. */
struct cut_number {
    unsigned_wide integer;
    int exponent;
    bool is_more;
};

/* To the nearest double, ties to the even one. */
static double round_number(struct cut_number number)
{
    const uint64_t parts[] = {(uint64_t)number.integer, (uint64_t)(number.integer >> 64)};
    const int length = (int)bit_length(parts, 2), spare = length - MANTISSA_BITS;
    const int dropped = spare > -UNIT_BITS - number.exponent ? spare : -UNIT_BITS - number.exponent;
    unsigned_wide rest, half;
    uint64_t mantissa;

    if (length == 0)
        return 0;
    half = (unsigned_wide)1 << (dropped - 1);
    rest = number.integer & (2 * half - 1);
    mantissa = (uint64_t)(number.integer >> dropped);
    if (rest > half || (rest == half && (number.is_more || mantissa % 2)))
        mantissa++;
    return ldexp((double)mantissa, number.exponent + dropped);
}

static struct cut_number divide(struct cut_number number, uint64_t by)
{
    number.is_more = number.is_more || number.integer % by != 0;
    number.integer /= by;
    return number;
}

static struct cut_number leading_bits(const uint64_t *words, uint32_t count)
{
    const int last = (int)bit_length(words, count) - LEADING_BITS;
    struct cut_number number = {0, last, has_bits_below(words, last)};

    for (int place = last + LEADING_BITS - 1; place >= last; place--)
        number.integer = number.integer << 1 | bit_at(words, place);
    return number;
}

/* Digit by digit: two bits of the number give one of its root. */
static struct cut_number square_root(const uint64_t *words, uint32_t count)
{
    int place = ((int)bit_length(words, count) + 1) & ~1; /* lowest bit above the next two */
    unsigned_wide root = 0, rest = 0;

    for (uint32_t i = 0; i < LEADING_BITS; i++) {
        const unsigned_wide tried = root << 2 | 1;

        place -= 2;
        rest = rest << 2 | bit_at(words, place + 1) << 1 | bit_at(words, place);
        root <<= 1;
        if (rest >= tried) {
            rest -= tried;
            root |= 1;
        }
    }
    return (struct cut_number){root, place / 2, rest != 0 || has_bits_below(words, place)};
}

/* ---- results ---- */

/* count squares - sum^2, of which the variance is the count^2-th part. False where it is negative,
 * which it is of no numbers. */
static bool find_spread(const struct exact_moments *moments, const uint64_t *magnitude,
                        uint64_t *spread)
{
    uint64_t square[PRODUCT_WORDS + 1] = {0};

    for (uint32_t i = 0; i < EXACT_SUM_WORDS; i++)
        add_product(square + i, magnitude, EXACT_SUM_WORDS, magnitude[i]);
    add_product(spread, moments->squares, EXACT_SQUARE_WORDS, moments->count);
    return subtract(spread, square, PRODUCT_WORDS);
}

static double in_units(struct cut_number number, uint64_t count)
{
    number = divide(number, count);
    number.exponent -= UNIT_BITS;
    return round_number(number);
}

bool exact_moments_measure(const struct exact_moments *moments, double *mean, double *scale)
{
    const uint64_t count = moments->count;
    const bool is_negative = moments->sum[EXACT_SUM_WORDS - 1] >> 63;
    uint64_t magnitude[EXACT_SUM_WORDS], spread[PRODUCT_WORDS] = {0};

    *mean = 0;
    *scale = 1;
    memcpy(magnitude, moments->sum, sizeof magnitude);
    if (is_negative)
        negate(magnitude, EXACT_SUM_WORDS);
    if (count >> 63 || !find_spread(moments, magnitude, spread))
        return false;
    if (count == 0)
        return bit_length(magnitude, EXACT_SUM_WORDS) == 0 &&
               bit_length(moments->squares, EXACT_SQUARE_WORDS) == 0;
    *mean = in_units(leading_bits(magnitude, EXACT_SUM_WORDS), count);
    if (is_negative)
        *mean = -*mean;
    *scale = in_units(square_root(spread, PRODUCT_WORDS), count);
    if (*scale == 0)
        *scale = 1;
    return isfinite(*mean) && isfinite(*scale);
}

bool exact_moments_are_constant(const struct exact_moments *moments, double *value)
{
    uint64_t magnitude[EXACT_SUM_WORDS], spread[PRODUCT_WORDS] = {0};
    double scale;

    if (moments->count == 0 || !exact_moments_measure(moments, value, &scale))
        return false;
    memcpy(magnitude, moments->sum, sizeof magnitude);
    if (moments->sum[EXACT_SUM_WORDS - 1] >> 63)
        negate(magnitude, EXACT_SUM_WORDS);
    return find_spread(moments, magnitude, spread) && bit_length(spread, PRODUCT_WORDS) == 0;
}
