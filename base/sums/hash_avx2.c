#include "base/sums/hash_variants.h"

#if defined(__AVX2__)

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hash_avx2(const void *bytes, size_t size, uint64_t seed)
{
    return XXH3_64bits_withSeed(bytes, size, seed);
}

#endif
