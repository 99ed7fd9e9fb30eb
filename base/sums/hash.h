/*
 * hash.h - XXH3-64 of long runs of bytes, in the widest vectors that the processor has.
 *
 * The value is the same everywhere. The library's own function is compiled for any
 * x86-64: 22 bytes a nanosecond, where AVX-512 takes 90, and what is sent, stored and
 * read again passes through here once at each end. For short texts and for streams the
 * library's functions are as good.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Seed 0 is XXH3_64bits. */
uint64_t bytes_hash(const void *bytes, size_t size, uint64_t seed);
