/*
 * bucket_set.h - some of the buckets of a table (row_bucket.h): those of a server, or that move.
 */
#pragma once

#include "runtime/ps/rows/row_bucket.h"

#define BUCKET_SET_WORDS (BUCKETS_PER_TABLE / 64)

/* Bucket b is bit b % 64 of word b / 64. A message carries the words. */
struct bucket_set {
    uint64_t words[BUCKET_SET_WORDS];
};

static inline bool bucket_set_has(const struct bucket_set *set, uint32_t bucket)
{
    return set->words[bucket / 64] >> bucket % 64 & 1;
}

static inline void bucket_set_add(struct bucket_set *set, uint32_t bucket)
{
    set->words[bucket / 64] |= UINT64_C(1) << bucket % 64;
}

static inline uint32_t bucket_set_count(const struct bucket_set *set)
{
    uint32_t count = 0;

    for (uint32_t w = 0; w < BUCKET_SET_WORDS; w++)
        count += (uint32_t)__builtin_popcountll(set->words[w]);
    return count;
}

/* The first that is at least `from`; BUCKETS_PER_TABLE: there is none. */
static inline uint32_t bucket_set_next(const struct bucket_set *set, uint32_t from)
{
    while (from < BUCKETS_PER_TABLE) {
        const uint64_t left = set->words[from / 64] >> from % 64;

        if (left != 0)
            return from + (uint32_t)__builtin_ctzll(left);
        from = (from / 64 + 1) * 64;
    }
    return BUCKETS_PER_TABLE;
}

static inline struct bucket_set bucket_set_both(const struct bucket_set *a,
                                                const struct bucket_set *b)
{
    struct bucket_set both;

    for (uint32_t w = 0; w < BUCKET_SET_WORDS; w++)
        both.words[w] = a->words[w] & b->words[w];
    return both;
}

static inline bool bucket_set_is_within(const struct bucket_set *set, const struct bucket_set *all)
{
    for (uint32_t w = 0; w < BUCKET_SET_WORDS; w++)
        if (set->words[w] & ~all->words[w])
            return false;
    return true;
}
