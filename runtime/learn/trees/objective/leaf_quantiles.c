#include "runtime/learn/trees/objective/leaf_quantiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/reserve.h"
#include "scoring/numbers/elementary.h"

#define KEY_BITS    32
#define LEAVES_FEW  256 /* have digits of 8 bits */
#define BITS_OF_FEW 8
#define BITS_OF_ALL 4
#define SIGN_BIT    0x80000000u

/* ---- where a quantile lies ---- */

struct quantile_place quantile_place_of(double quantile, uint64_t count)
{
    const double n = (double)count, x = quantile * (n + 1);
    double below;

    if (quantile <= 1 / (n + 1))
        return (struct quantile_place){0, 0};
    if (quantile >= n / (n + 1))
        return (struct quantile_place){count - 1, 0};
    below = floor(x) - 1;
    return (struct quantile_place){(uint64_t)below, x - 1 - below};
}

struct quantile_place quantile_place_by_weight(double quantile, uint64_t total)
{
    const uint64_t least = (uint64_t)ceil(quantile * (double)total);

    return (struct quantile_place){least == 0 ? 0 : least > total ? total - 1 : least - 1, 0};
}

static float between(struct quantile_place place, float below, float above)
{
    return (float)((double)below + place.fraction * ((double)above - (double)below));
}

/* ---- searches ---- */

void leaf_quantiles_deinit(struct leaf_quantiles *search)
{
    free(search->searches);
    *search = (struct leaf_quantiles){0};
}

enum status leaf_quantiles_begin(struct leaf_quantiles *search, double quantile, bool is_weighted,
                                 uint32_t leaves, struct error *err)
{
    TRY(reserve_array((void **)&search->searches, &search->room, leaves, sizeof *search->searches,
                      err));
    if (leaves > 0)
        memset(search->searches, 0, leaves * sizeof *search->searches);
    search->quantile = quantile;
    search->is_weighted = is_weighted;
    search->leaves = leaves;
    search->bits = 0;
    return STATUS_OK;
}

static uint32_t digit_bits(uint32_t leaves)
{
    return leaves <= LEAVES_FEW ? BITS_OF_FEW : BITS_OF_ALL;
}

bool leaf_quantiles_can_have(uint32_t leaves, uint32_t bits)
{
    return bits < KEY_BITS && bits % digit_bits(leaves) == 0;
}

void leaf_quantiles_adopt(struct leaf_quantiles *search, double quantile, bool is_weighted,
                          uint32_t leaves, uint32_t bits)
{
    search->quantile = quantile;
    search->is_weighted = is_weighted;
    search->leaves = search->room = leaves;
    search->bits = bits;
}

static uint32_t counts_of(uint32_t leaves)
{
    return 2 * leaves << digit_bits(leaves);
}

uint32_t leaf_quantiles_counts(const struct leaf_quantiles *search)
{
    return counts_of(search->leaves);
}

uint32_t leaf_quantiles_counts_most(uint32_t leaves_most)
{
    const uint32_t most = counts_of(leaves_most), few = counts_of(LEAVES_FEW);

    return leaves_most > LEAVES_FEW && few > most ? few : most;
}

bool leaf_quantiles_are_found(const struct leaf_quantiles *search)
{
    return search->bits == KEY_BITS;
}

/* Negative numbers, of which the greater ones have the lesser bits, below the others. */
uint32_t leaf_quantiles_key(float residual)
{
    const uint32_t bits = bits_of(residual + 0.0f); /* one zero */

    return bits & SIGN_BIT ? ~bits : bits | SIGN_BIT;
}

static float number_of(uint32_t key)
{
    return float_of(key & SIGN_BIT ? key & ~SIGN_BIT : ~key);
}

void leaf_quantiles_count(const struct leaf_quantiles *search, uint32_t leaf, float residual,
                          int64_t weight, int64_t *counts)
{
    const struct leaf_search *of_leaf = &search->searches[leaf];
    const uint32_t width = digit_bits(search->leaves), key = leaf_quantiles_key(residual);
    const uint32_t known = search->bits == 0 ? 0 : key >> (KEY_BITS - search->bits);
    const uint32_t digit = key >> (KEY_BITS - search->bits - width) & ((1u << width) - 1);

    counts += (size_t)leaf * 2 << width;
    for (uint32_t i = 0; i < 2; i++)
        counts[(i << width) + digit] += known == of_leaf->key[i] ? weight : 0;
}

static struct quantile_place place_in(const struct leaf_quantiles *search,
                                      const struct leaf_search *of_leaf)
{
    return search->is_weighted ? quantile_place_by_weight(search->quantile, of_leaf->rows)
                               : quantile_place_of(search->quantile, of_leaf->rows);
}

static void begin_ranks(const struct leaf_quantiles *search, const int64_t *counts,
                        struct leaf_search *of_leaf)
{
    const uint32_t digits = 1u << digit_bits(search->leaves);
    struct quantile_place place;

    for (uint32_t digit = 0; digit < digits; digit++)
        of_leaf->rows += (uint64_t)counts[digit];
    if (of_leaf->rows == 0)
        return;
    place = place_in(search, of_leaf);
    of_leaf->rank[0] = place.first;
    of_leaf->rank[1] = place.first + (place.fraction > 0);
}

void leaf_quantiles_take(struct leaf_quantiles *search, const int64_t *counts)
{
    const uint32_t width = digit_bits(search->leaves), digits = 1u << width;

    for (uint32_t leaf = 0; leaf < search->leaves; leaf++) {
        struct leaf_search *of_leaf = &search->searches[leaf];

        if (search->bits == 0)
            begin_ranks(search, counts, of_leaf);
        for (uint32_t i = 0; i < 2; i++, counts += digits) {
            uint32_t digit = 0;

            while (digit + 1 < digits && of_leaf->rank[i] >= (uint64_t)counts[digit])
                of_leaf->rank[i] -= (uint64_t)counts[digit++];
            of_leaf->key[i] = of_leaf->key[i] << width | digit;
        }
    }
    search->bits += width;
}

float leaf_quantiles_value(const struct leaf_quantiles *search, uint32_t leaf)
{
    const struct leaf_search *of_leaf = &search->searches[leaf];

    if (of_leaf->rows == 0)
        return 0;
    return between(place_in(search, of_leaf), number_of(of_leaf->key[0]),
                   number_of(of_leaf->key[1]));
}
