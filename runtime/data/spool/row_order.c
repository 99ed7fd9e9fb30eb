#include "runtime/data/spool/row_order.h"

#include <string.h>

/* Items are dealt into buckets by the first bits of their keys, part by part,
 * and sorted bucket by bucket: some thousand rows, which stay in the cache. */
#define BUCKET_BITS 10
#define BUCKETS     (1u << BUCKET_BITS)
#define PART_ROWS   65536
#define DIGIT_BITS  11
#define DIGITS      (1u << DIGIT_BITS)
#define FEW         48 /* items that are inserted one by one sooner than dealt by digits */
#define KEY_SHIFT   32 /* shift of the key's half within an item */

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

uint64_t row_key_bits(const struct row_key *key, const struct row_hash *hash)
{
    const bool is_of_group = key->purpose == RANDOM_GROUP_LANE ||
                             key->purpose == RANDOM_GROUP_HELD_OUT ||
                             key->purpose == RANDOM_GROUP_FOLD;
    uint64_t folded = hash->low ^ (hash->high << 32 | hash->high >> 32);

    return random_bits(key->seed, key->purpose, key->a, is_of_group ? hash->high : folded);
}

struct row_hash row_hash_of_copy(const struct row_hash *hash, uint64_t number)
{
    return (struct row_hash){.low = random_bits(hash->low, RANDOM_TWIN, hash->high, number),
                             .high = random_bits(hash->high, RANDOM_TWIN, hash->low, number)};
}

static uint64_t item_of(const struct row_key *key, const struct row_hash *hashes, uint32_t row)
{
    return row_key_bits(key, &hashes[row]) >> KEY_SHIFT << KEY_SHIFT | row;
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
        sorting->items[i] = item_of(sorting->key, sorting->hashes, i);
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
    full_a = row_key_bits(key, x);
    full_b = row_key_bits(key, y);
    if (full_a != full_b)
        return full_a < full_b;
    return x->low != y->low ? x->low < y->low : x->high < y->high;
}

/* Items that are sorted by some of their bits become sorted by all, and by the hashes. */
static void insert_all(const struct row_key *key, const struct row_hash *hashes, uint64_t *items,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t item = items[i];
        uint32_t at = i;

        for (; at > 0 && comes_before(key, hashes, item, items[at - 1]); at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
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
        sort_digit(items, other, count, KEY_SHIFT);
        sort_digit(other, items, count, KEY_SHIFT + DIGIT_BITS);
    }
    insert_all(sorting->key, sorting->hashes, items, count);
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

/* Sorts them by all bits of their keys. other: (count). Returns where they are then. */
static uint64_t *sort_items(const struct row_key *key, const struct row_hash *hashes,
                            uint64_t *items, uint64_t *other, uint32_t count)
{
    if (count > FEW) {
        sort_digit(items, other, count, KEY_SHIFT);
        sort_digit(other, items, count, KEY_SHIFT + DIGIT_BITS);
        sort_digit(items, other, count, KEY_SHIFT + 2 * DIGIT_BITS);
        items = other;
    }
    insert_all(key, hashes, items, count);
    return items;
}

void row_order_run(const struct row_key *key, const struct row_hash *hashes, uint32_t count,
                   uint32_t first, uint64_t *space, uint32_t *order)
{
    const uint64_t *sorted;

    for (uint32_t i = 0; i < count; i++)
        space[i] = item_of(key, hashes, i);
    sorted = sort_items(key, hashes, space, space + count, count);
    for (uint32_t i = 0; i < count; i++)
        order[i] = first + (uint32_t)sorted[i];
}

/* ---- the first rows of an order ---- */

static void put_items(void *context, uint32_t member, uint32_t part)
{
    const struct sorting *sorting = context;
    (void)member;

    for (uint32_t i = part * PART_ROWS; i < part_end(sorting, part); i++)
        sorting->items[i] = item_of(sorting->key, sorting->hashes, i);
}

/* The bucket that the last of the first `count` rows is in. *before: rows of those before it. */
static uint32_t find_bucket(const uint64_t *items, uint32_t rows, uint32_t count, uint32_t *before)
{
    uint32_t counts[BUCKETS] = {0}, bucket = 0;

    for (uint32_t i = 0; i < rows; i++)
        counts[bucket_of(items[i])]++;
    *before = 0;
    while (*before + counts[bucket] < count)
        *before += counts[bucket++];
    return bucket;
}

void row_order_mark(const struct row_key *key, const struct row_hash *hashes, uint32_t rows,
                    uint32_t count, struct team *team, uint64_t *space, uint8_t *is_first)
{
    uint64_t *last = space + rows; /* the items of the bucket in which the order is cut */
    uint32_t bucket, before, in_bucket = 0;
    struct sorting sorting = {.key = key, .hashes = hashes, .rows = rows, .items = space};

    memset(is_first, 0, rows);
    if (count == 0)
        return;
    team_run(team, parts_of(rows), put_items, &sorting);
    bucket = find_bucket(space, rows, count, &before);
    for (uint32_t i = 0; i < rows; i++) {
        is_first[i] = bucket_of(space[i]) < bucket;
        if (bucket_of(space[i]) == bucket)
            last[in_bucket++] = space[i];
    }
    last = sort_items(key, hashes, last, space, in_bucket);
    for (uint32_t i = 0; i < count - before; i++)
        is_first[(uint32_t)last[i]] = 1;
}
