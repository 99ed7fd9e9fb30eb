#include "base/sums/hash.h"

#include <stdatomic.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/sums/hash_variants.h"

static uint64_t hash_plain(const void *bytes, size_t size, uint64_t seed)
{
    return XXH3_64bits_withSeed(bytes, size, seed);
}

hash_variant *hash_variants(size_t number)
{
    hash_variant *ways[3] = {hash_plain};
    size_t count = 1;

#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        ways[count++] = hash_avx2;
    if (__builtin_cpu_supports("avx512f"))
        ways[count++] = hash_avx512;
#endif
    return number < count ? ways[number] : NULL;
}

static hash_variant *best_way(void)
{
    static hash_variant *_Atomic best;
    hash_variant *way = atomic_load_explicit(&best, memory_order_relaxed);

    if (way)
        return way;
    for (size_t i = 0; hash_variants(i); i++)
        way = hash_variants(i);
    atomic_store_explicit(&best, way, memory_order_relaxed);
    return way;
}

uint64_t bytes_hash(const void *bytes, size_t size, uint64_t seed)
{
    return best_way()(bytes, size, seed);
}
