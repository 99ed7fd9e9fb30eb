#include "base/random.h"

#include <endian.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t random_bits(uint64_t seed, enum random_purpose purpose, uint64_t a, uint64_t b)
{
    const uint64_t key[4] = {htole64(seed), htole64((uint64_t)purpose), htole64(a), htole64(b)};
    return XXH3_64bits(key, sizeof key);
}

double random_uniform(uint64_t seed, enum random_purpose purpose, uint64_t a, uint64_t b)
{
    return (double)(random_bits(seed, purpose, a, b) >> 11) * 0x1p-53;
}
