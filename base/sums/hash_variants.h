/*
 * hash_variants.h - the ways of hash.c: one for each instruction set, in files that are
 * compiled for it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef uint64_t hash_variant(const void *bytes, size_t size, uint64_t seed);

hash_variant hash_avx2, hash_avx512;

/* The way of that number, of those that this processor has; NULL: there are no more.
 * The last one is the fastest. For tests. */
hash_variant *hash_variants(size_t number);
