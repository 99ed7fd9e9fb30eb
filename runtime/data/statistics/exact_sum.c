#include "runtime/data/statistics/exact_sum.h"

#include <string.h>

#include "base/vectors.h"

/*
 * A tile is taken in groups of columns. With 2^e above the greatest magnitude of a column, each
 * of its numbers is cut into three limbs,
 *
 *     x = a + b + c,   a, b, c multiples of 2^(e - 22), 2^(e - 45), 2^(e - 68)
 *
 * each of at most 2^22 such units. So 256 products of limbs sum up in a double without rounding.
 * Numbers with bits below the last limb wait for another round, where they are the greatest ones; a
 * few are added one by one, as are those whose products would leave the format of a double.
 */
#define LANES        8 /* columns of a group */
#define LIMB_BITS    23
#define TOP_BITS     22 /* bits of the first limb */
#define EXPONENT_MAX 400
#define ROUNDS_MAX   4
#define FINER_LEAST  128 /* numbers that are worth a round */

#define MANTISSA_BITS 52
#define EXPONENT_BIAS 1023
#define EXPONENT_BITS 0x7ff0000000000000
#define SIGN_BIT      INT64_MIN
#define UNIT_BITS     1074 /* sums are in units of 2^-UNIT_BITS */

typedef __int128 wide;
typedef unsigned __int128 unsigned_wide;
typedef double numbers __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t integers __attribute__((vector_size(LANES * sizeof(int64_t))));

/* Each lane a column. */
struct tile {
    numbers x[EXACT_TILE_ROWS];
    uint32_t rows;
    integers not_finite; /* how many there are, as negative numbers; they are 0 in x */
    integers greatest;   /* the magnitude, as the bits of a double */
    numbers shifts[3];   /* adding and subtracting one leaves a limb */
};

struct limb_sums {
    numbers a, b, c, aa, ab, ac, bb, bc, cc;
    integers finer; /* how many numbers have bits below the last limb, as negative numbers */
};

/* ---- integers of many words ---- */

/* Adds value 2^bit. */
static void add_shifted(uint64_t *words, uint32_t count, wide value, uint32_t bit)
{
    const uint32_t shift = bit % 64;
    const uint64_t sign = value < 0 ? UINT64_MAX : 0;
    const unsigned_wide low = (unsigned_wide)value << shift;
    const uint64_t parts[] = {(uint64_t)low, (uint64_t)(low >> 64),
                              shift ? (uint64_t)(value >> (128 - shift)) : sign};
    uint32_t carry = 0;

    for (uint32_t i = bit / 64, part = 0; i < count; i++, part++) {
        unsigned_wide sum;

        if (part >= 3 && carry == (sign & 1))
            return; /* nothing changes from here on */
        sum = (unsigned_wide)words[i] + (part < 3 ? parts[part] : sign) + carry;
        words[i] = (uint64_t)sum;
        carry = (uint32_t)(sum >> 64);
    }
}

static void add_words(uint64_t *words, const uint64_t *other, uint32_t count)
{
    uint32_t carry = 0;

    for (uint32_t i = 0; i < count; i++) {
        const unsigned_wide sum = (unsigned_wide)words[i] + other[i] + carry;

        words[i] = (uint64_t)sum;
        carry = (uint32_t)(sum >> 64);
    }
}

/* ---- one number ---- */

/* Adds sign times a finite number and its square. */
static void add_alone(struct exact_moments *moments, double x, int sign)
{
    int64_t bits, mantissa;
    uint32_t exponent;

    memcpy(&bits, &x, sizeof bits);
    exponent = (uint32_t)((bits & EXPONENT_BITS) >> MANTISSA_BITS);
    mantissa = bits & (((int64_t)1 << MANTISSA_BITS) - 1);
    if (exponent > 0) {
        mantissa |= (int64_t)1 << MANTISSA_BITS;
        exponent--;
    }
    add_shifted(moments->squares, EXACT_SQUARE_WORDS, (wide)mantissa * mantissa * sign,
                2 * exponent);
    if (bits < 0)
        mantissa = -mantissa;
    add_shifted(moments->sum, EXACT_SUM_WORDS, (wide)mantissa * sign, exponent);
}

/* ---- a tile ---- */

static void copy_rows(struct tile *tile, uint32_t columns, const double *x, size_t stride,
                      uint32_t rows, const uint8_t *is_used)
{
    tile->rows = 0;
    for (uint32_t row = 0; row < rows; row++, x += stride) {
        numbers *to = &tile->x[tile->rows];

        if (is_used && !is_used[row])
            continue;
        tile->rows++;
        if (columns == LANES) {
            memcpy(to, x, sizeof *to);
            continue;
        }
        *to = (numbers){0};
        for (uint32_t i = 0; i < columns; i++)
            (*to)[i] = x[i];
    }
}

WIDE_VECTORS
static void find_greatest(struct tile *tile)
{
    integers greatest = {0}, not_finite = {0};

    for (uint32_t row = 0; row < tile->rows; row++) {
        const integers bits = (integers)tile->x[row];
        const integers skipped = (bits & EXPONENT_BITS) == EXPONENT_BITS;
        const integers magnitude = bits & ~SIGN_BIT & ~skipped;
        const integers is_greater = magnitude > greatest;

        tile->x[row] = (numbers)(bits & ~skipped);
        greatest = (magnitude & is_greater) | (greatest & ~is_greater);
        not_finite += skipped;
    }
    tile->greatest = greatest;
    tile->not_finite = not_finite;
}

WIDE_VECTORS
static void add_limbs(const struct tile *tile, struct limb_sums *sums)
{
    const numbers first = tile->shifts[0], second = tile->shifts[1], third = tile->shifts[2];
    numbers sum_a = {0}, sum_b = {0}, sum_c = {0};
    numbers sum_aa = {0}, sum_ab = {0}, sum_ac = {0}, sum_bb = {0}, sum_bc = {0}, sum_cc = {0};
    integers finer = {0};

    for (uint32_t row = 0; row < tile->rows; row++) {
        const numbers x = tile->x[row];
        const numbers a = (x + first) - first, below_a = x - a;
        const numbers b = (below_a + second) - second, below_b = below_a - b;
        const numbers c = (below_b + third) - third;

        finer += below_b != c;
        sum_a += a;
        sum_b += b;
        sum_c += c;
        sum_aa += a * a;
        sum_ab += a * b;
        sum_ac += a * c;
        sum_bb += b * b;
        sum_bc += b * c;
        sum_cc += c * c;
    }
    *sums = (struct limb_sums){sum_a,  sum_b,  sum_c,  sum_aa, sum_ab,
                               sum_ac, sum_bb, sum_bc, sum_cc, finer};
}

/* Moves the numbers that have bits below the last limb, and leaves 0. */
WIDE_VECTORS
static void split_finer(struct tile *tile, struct tile *finer)
{
    const numbers first = tile->shifts[0], second = tile->shifts[1], third = tile->shifts[2];

    for (uint32_t row = 0; row < tile->rows; row++) {
        const numbers x = tile->x[row];
        const numbers below_a = x - ((x + first) - first);
        const numbers below_b = below_a - ((below_a + second) - second);
        const integers is_finer = below_b != (below_b + third) - third;

        finer->x[row] = (numbers)((integers)x & is_finer);
        tile->x[row] = (numbers)((integers)x & ~is_finer);
    }
}

static double power_of_two(int exponent)
{
    const int64_t bits = (int64_t)(exponent + EXPONENT_BIAS) << MANTISSA_BITS;
    double power;

    memcpy(&power, &bits, sizeof power);
    return power;
}

/* The magnitudes of a column are below 2^this. */
static int exponent_of(const struct tile *tile, uint32_t lane)
{
    return (int)(tile->greatest[lane] >> MANTISSA_BITS) - EXPONENT_BIAS + 1;
}

/* Into sums of their own, all numbers of a lane or those that have bits below the last limb; they
 * are 0 in the tile afterwards. */
static void take_alone(struct tile *tile, uint32_t lane, bool takes_all,
                       struct exact_moments *moments, int sign)
{
    const double first = tile->shifts[0][lane], second = tile->shifts[1][lane];
    const double third = tile->shifts[2][lane];

    for (uint32_t row = 0; row < tile->rows; row++) {
        const double x = tile->x[row][lane];
        const double below_a = x - ((x + first) - first);
        const double below_b = below_a - ((below_a + second) - second);

        if (x == 0 || (!takes_all && below_b == (below_b + third) - third))
            continue;
        add_alone(moments, x, sign);
        tile->x[row][lane] = 0;
    }
}

static void set_shifts(struct tile *tile, uint32_t columns, struct exact_moments *moments, int sign)
{
    for (uint32_t limb = 0; limb < 3; limb++)
        tile->shifts[limb] = (numbers){0};
    for (uint32_t i = 0; i < columns; i++) {
        const int exponent = exponent_of(tile, i);

        if (tile->greatest[i] == 0)
            continue;
        if (exponent > EXPONENT_MAX || exponent < -EXPONENT_MAX) {
            take_alone(tile, i, true, moments + i, sign);
            tile->greatest[i] = 0;
            continue;
        }
        for (int limb = 0; limb < 3; limb++)
            tile->shifts[limb][i] =
                1.5 * power_of_two(exponent + MANTISSA_BITS - TOP_BITS - limb * LIMB_BITS);
    }
}

static wide units(double sum, int exponent)
{
    return (wide)(int64_t)(sum * power_of_two(-exponent));
}

/* Adds the sums of a lane's limbs to the moments, or subtracts them by a negative sign. */
static void fold(const struct limb_sums *sums, uint32_t lane, int exponent,
                 struct exact_moments *moments, int sign)
{
    const int a = exponent - TOP_BITS, b = a - LIMB_BITS, c = b - LIMB_BITS;
    const wide limb = (wide)1 << LIMB_BITS;
    const wide sum = units(sums->a[lane], a) * limb * limb + units(sums->b[lane], b) * limb +
                     units(sums->c[lane], c);
    const wide high = units(sums->aa[lane], 2 * a) * limb * limb +
                      2 * units(sums->ab[lane], a + b) * limb + 2 * units(sums->ac[lane], a + c) +
                      units(sums->bb[lane], 2 * b);
    const wide low = 2 * units(sums->bc[lane], b + c) * limb + units(sums->cc[lane], 2 * c);

    add_shifted(moments->sum, EXACT_SUM_WORDS, sum * sign, (uint32_t)(c + UNIT_BITS));
    add_shifted(moments->squares, EXACT_SQUARE_WORDS, high * sign,
                (uint32_t)(2 * b + 2 * UNIT_BITS));
    add_shifted(moments->squares, EXACT_SQUARE_WORDS, low * sign,
                (uint32_t)(2 * c + 2 * UNIT_BITS));
}

/* How many numbers of the tile have bits below the last limb. */
static uint32_t count_finer(const struct limb_sums *sums)
{
    int64_t count = 0;

    for (uint32_t i = 0; i < LANES; i++)
        count -= sums->finer[i];
    return (uint32_t)count;
}

/* Adds what of a tile has no bits below the last limb, and leaves the others in `finer`. */
static void add_round(struct tile *tile, uint32_t columns, bool is_last, struct tile *finer,
                      struct exact_moments *moments, int sign)
{
    struct limb_sums sums;

    find_greatest(tile);
    set_shifts(tile, columns, moments, sign);
    add_limbs(tile, &sums);
    finer->rows = count_finer(&sums) > 0 ? tile->rows : 0;
    if (finer->rows) {
        is_last = is_last || count_finer(&sums) < FINER_LEAST;
        for (uint32_t i = 0; i < columns && is_last; i++)
            if (sums.finer[i])
                take_alone(tile, i, false, moments + i, sign);
        if (is_last)
            finer->rows = 0;
        else
            split_finer(tile, finer);
        add_limbs(tile, &sums);
    }
    for (uint32_t i = 0; i < columns; i++)
        if (tile->greatest[i])
            fold(&sums, i, exponent_of(tile, i), &moments[i], sign);
}

/* The tiles of the rounds take turns. */
static void add_group(struct tile tiles[2], uint32_t columns, struct exact_moments *moments,
                      int sign)
{
    const uint32_t rows = tiles[0].rows;

    for (uint32_t round = 0; tiles[round % 2].rows > 0; round++) {
        struct tile *tile = &tiles[round % 2];

        add_round(tile, columns, round + 1 == ROUNDS_MAX, &tiles[(round + 1) % 2], moments, sign);
        for (uint32_t i = 0; i < columns && round == 0; i++)
            moments[i].count += (uint64_t)(sign * (rows + tile->not_finite[i]));
    }
}

static void add_tile(struct exact_moments *moments, uint32_t columns, const double *x,
                     size_t stride, uint32_t rows, const uint8_t *is_used, int sign)
{
    struct tile tiles[2];

    for (uint32_t first = 0; first < columns; first += LANES) {
        const uint32_t group = columns - first < LANES ? columns - first : LANES;

        copy_rows(&tiles[0], group, x + first, stride, rows, is_used);
        add_group(tiles, group, moments + first, sign);
    }
}

void exact_moments_add(struct exact_moments *moments, uint32_t columns, const double *x,
                       size_t stride, uint32_t rows, const uint8_t *is_used)
{
    add_tile(moments, columns, x, stride, rows, is_used, 1);
}

void exact_moments_subtract(struct exact_moments *moments, uint32_t columns, const double *x,
                            size_t stride, uint32_t rows, const uint8_t *is_used)
{
    add_tile(moments, columns, x, stride, rows, is_used, -1);
}

void exact_moments_merge(struct exact_moments *moments, const struct exact_moments *other)
{
    moments->count += other->count;
    add_words(moments->sum, other->sum, EXACT_SUM_WORDS);
    add_words(moments->squares, other->squares, EXACT_SQUARE_WORDS);
}

/* ---- bytes ---- */

static uint64_t sign_of(uint64_t word)
{
    return word >> 63 ? UINT64_MAX : 0;
}

/* Words [first, end): those before are 0, those behind repeat the sign of the last. */
static void find_ends(const uint64_t *words, uint32_t count, uint32_t *first, uint32_t *end)
{
    *first = 0;
    *end = count;
    while (*end > 1 && words[*end - 1] == sign_of(words[*end - 2]))
        --*end;
    while (*first < *end && words[*first] == 0)
        ++*first;
}

static void put_words(const uint64_t *words, uint32_t count, struct text *out)
{
    uint32_t first, end;

    find_ends(words, count, &first, &end);
    put_u8(out, (uint8_t)first);
    put_u8(out, (uint8_t)end);
    for (uint32_t i = first; i < end; i++)
        put_u64(out, words[i]);
}

static bool read_words(struct byte_reader *reader, uint64_t *words, uint32_t count)
{
    const uint32_t first = read_u8(reader), end = read_u8(reader);
    uint32_t first_put, end_put;

    if (end == 0 || end > count)
        return false;
    memset(words, 0, count * sizeof *words);
    for (uint32_t i = first; i < end; i++)
        words[i] = read_u64(reader);
    for (uint32_t i = end; i < count; i++)
        words[i] = sign_of(words[end - 1]);
    find_ends(words, count, &first_put, &end_put);
    return !reader->failed && first == first_put && end == end_put;
}

void exact_moments_put(const struct exact_moments *moments, struct text *out)
{
    put_u64(out, moments->count);
    put_words(moments->sum, EXACT_SUM_WORDS, out);
    put_words(moments->squares, EXACT_SQUARE_WORDS, out);
}

bool exact_moments_read(struct byte_reader *reader, struct exact_moments *moments)
{
    moments->count = read_u64(reader);
    return read_words(reader, moments->sum, EXACT_SUM_WORDS) &&
           read_words(reader, moments->squares, EXACT_SQUARE_WORDS);
}
