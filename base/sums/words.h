/*
 * words.h - sums of memory that show that a bit of it was changed.
 *
 * A sum of 32-bit words changes with any single bit. It costs an addition a word, so that it can be
 * taken of what is in the nearest cache anyway.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The plain sum of `count` 32-bit words, modulo 2^32. */
uint32_t words_sum(const void *words, size_t count);
/* Each word is mixed first: small differences in several words do not cancel each other. */
uint32_t words_mix(const void *words, size_t count);
static inline uint32_t words_mix_one(uint32_t word)
{
    return (word ^ word >> 15) * 0x9e3779b1u;
}
/* The sum of 64-bit integers, modulo 2^64: that of a total is the total of the sums. */
uint64_t words_sum_long(const int64_t *integers, size_t count);

/* CORRUPT: "WHAT of this worker changed in memory by themselves". */
enum status memory_damaged(struct error *err, const char *what);

/* A sum of which one number may have changed by itself, and so be too great: it wraps around. */
static inline int64_t words_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}
