#include "data/row_order.h"

#include <string.h>

#define DIGIT_BITS 11
#define DIGITS     (1u << DIGIT_BITS)

static uint64_t key_of(const struct row_key *key, const struct row_hash *hash)
{
    uint64_t folded = hash->low ^ (hash->high << 32 | hash->high >> 32);

    return random_bits(key->seed, key->purpose, key->a, folded);
}

/* One stable pass of a radix sort, by the digit at `shift`. */
static void sort_digit(const uint64_t *from, uint64_t *to, uint32_t rows, int shift)
{
    uint32_t starts[DIGITS] = {0}, sum = 0;

    for (uint32_t i = 0; i < rows; i++)
        starts[from[i] >> shift & (DIGITS - 1)]++;
    for (uint32_t digit = 0; digit < DIGITS; digit++) {
        uint32_t count = starts[digit];
        starts[digit] = sum;
        sum += count;
    }
    for (uint32_t i = 0; i < rows; i++)
        to[starts[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

/* Whether item a comes before item b, by all 64 bits of the keys and then by
 * the hashes. Items carry the upper half of their key, which nearly always
 * decides. */
static bool comes_before(const struct row_key *key, const struct row_hash *hashes, uint64_t a,
                         uint64_t b)
{
    const struct row_hash *x = &hashes[(uint32_t)a], *y = &hashes[(uint32_t)b];
    uint64_t full_a, full_b;

    if (a >> 32 != b >> 32)
        return a >> 32 < b >> 32;
    full_a = key_of(key, x);
    full_b = key_of(key, y);
    if (full_a != full_b)
        return full_a < full_b;
    return x->low != y->low ? x->low < y->low : x->high < y->high;
}

void row_order(const struct row_key *key, const struct row_hash *hashes, uint32_t rows,
               uint64_t *space, uint32_t *order)
{
    uint64_t *items = space, *other = space + rows;

    for (uint32_t i = 0; i < rows; i++)
        items[i] = key_of(key, &hashes[i]) >> 32 << 32 | i;
    sort_digit(items, other, rows, 32);
    sort_digit(other, items, rows, 32 + DIGIT_BITS);
    sort_digit(items, other, rows, 32 + 2 * DIGIT_BITS);
    /* Sorted but for items that agree in the upper half of the key. */
    for (uint32_t i = 1; i < rows; i++) {
        uint64_t item = other[i];
        uint32_t at = i;

        for (; at > 0 && comes_before(key, hashes, item, other[at - 1]); at--)
            other[at] = other[at - 1];
        other[at] = item;
    }
    for (uint32_t i = 0; i < rows; i++)
        order[i] = (uint32_t)other[i];
}
