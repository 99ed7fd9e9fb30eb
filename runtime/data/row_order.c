#include "runtime/data/row_order.h"

#include <string.h>

/* Items are dealt into buckets by the first bits of their keys, part by part,
 * and sorted bucket by bucket: some thousand rows, which stay in the cache. */
#define BUCKET_BITS 10
#define BUCKETS     (1u << BUCKET_BITS)
#define PART_ROWS   65536
#define DIGIT_BITS  11
#define DIGITS      (1u << DIGIT_BITS)
#define FEW         48 /* items that are inserted one by one sooner than dealt by digits */

/* items carry the upper half of their key, which nearly always decides, and
 * the number of their row. */
struct sorting {
    const struct row_key *key;
    const struct row_hash *hashes;
    uint32_t rows;
    uint64_t *items, *dealt;     /* (rows) each */
    uint32_t (*places)[BUCKETS]; /* (parts): counts, then where the next item goes */
    uint32_t starts[BUCKETS + 1];
    uint32_t *order;
};

static uint64_t key_of(const struct row_key *key, const struct row_hash *hash)
{
    uint64_t folded = hash->low ^ (hash->high << 32 | hash->high >> 32);

    return random_bits(key->seed, key->purpose, key->a, folded);
}

static uint32_t bucket_of(uint64_t item)
{
    return (uint32_t)(item >> (64 - BUCKET_BITS));
}

static uint32_t part_end(const struct sorting *sorting, uint32_t part)
{
    const uint32_t first = part * PART_ROWS;

    return sorting->rows - first < PART_ROWS ? sorting->rows : first + PART_ROWS;
}

static void count_part(void *context, uint32_t member, uint32_t part)
{
    const struct sorting *sorting = context;
    uint32_t *counts = sorting->places[part];
    (void)member;

    memset(counts, 0, sizeof *sorting->places);
    for (uint32_t i = part * PART_ROWS; i < part_end(sorting, part); i++) {
        sorting->items[i] = key_of(sorting->key, &sorting->hashes[i]) >> 32 << 32 | i;
        counts[bucket_of(sorting->items[i])]++;
    }
}

/* Bucket by bucket, and within one part by part. */
static void place_parts(struct sorting *sorting, uint32_t parts)
{
    uint32_t sum = 0;

    for (uint32_t bucket = 0; bucket < BUCKETS; bucket++) {
        sorting->starts[bucket] = sum;
        for (uint32_t part = 0; part < parts; part++) {
            const uint32_t count = sorting->places[part][bucket];

            sorting->places[part][bucket] = sum;
            sum += count;
        }
    }
    sorting->starts[BUCKETS] = sum;
}

static void deal_part(void *context, uint32_t member, uint32_t part)
{
    const struct sorting *sorting = context;
    uint32_t *places = sorting->places[part];
    (void)member;

    for (uint32_t i = part * PART_ROWS; i < part_end(sorting, part); i++)
        sorting->dealt[places[bucket_of(sorting->items[i])]++] = sorting->items[i];
}

/* One stable pass of a radix sort, by the digit at `shift`. */
static void sort_digit(const uint64_t *from, uint64_t *to, uint32_t count, int shift)
{
    uint32_t starts[DIGITS] = {0}, sum = 0;

    for (uint32_t i = 0; i < count; i++)
        starts[from[i] >> shift & (DIGITS - 1)]++;
    for (uint32_t digit = 0; digit < DIGITS; digit++) {
        const uint32_t of_digit = starts[digit];

        starts[digit] = sum;
        sum += of_digit;
    }
    for (uint32_t i = 0; i < count; i++)
        to[starts[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

/* Whether item a comes before item b, by all 64 bits of the keys and then by
 * the hashes. */
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

/* By the 22 bits below those of the bucket, and what agrees in them by all. */
static void sort_bucket(void *context, uint32_t member, uint32_t bucket)
{
    const struct sorting *sorting = context;
    const uint32_t first = sorting->starts[bucket], end = sorting->starts[bucket + 1];
    uint64_t *items = sorting->dealt + first, *other = sorting->items + first;
    const uint32_t count = end - first;
    (void)member;

    if (count > FEW) {
        sort_digit(items, other, count, 32);
        sort_digit(other, items, count, 32 + DIGIT_BITS);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t item = items[i];
        uint32_t at = i;

        for (; at > 0 && comes_before(sorting->key, sorting->hashes, item, items[at - 1]); at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
    for (uint32_t i = 0; sorting->order && i < count; i++)
        sorting->order[first + i] = (uint32_t)items[i];
}

static uint32_t parts_of(uint32_t rows)
{
    return (uint32_t)(((uint64_t)rows + PART_ROWS - 1) / PART_ROWS);
}

size_t row_order_space(uint32_t rows)
{
    return 2 * (size_t)rows + (size_t)parts_of(rows) * BUCKETS / 2;
}

void row_order(const struct row_key *key, const struct row_hash *hashes, uint32_t rows,
               struct team *team, uint64_t *space, uint32_t *order)
{
    const uint32_t parts = parts_of(rows);
    struct sorting sorting = {.key = key,
                              .hashes = hashes,
                              .rows = rows,
                              .dealt = space,
                              .items = space + rows,
                              .places = (uint32_t(*)[BUCKETS])(space + 2 * (size_t)rows),
                              .order = order};

    team_run(team, parts, count_part, &sorting);
    place_parts(&sorting, parts);
    team_run(team, parts, deal_part, &sorting);
    team_run(team, BUCKETS, sort_bucket, &sorting);
}
