#include "tests/check.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/hash_variants.h"

#define BYTES 5000

static unsigned char *drawn(void)
{
    unsigned char *bytes = malloc(BYTES);

    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)(i * 131 + i / 251);
    return bytes;
}

/* Lengths around those at which XXH3 changes its way: 16, 128, 240 and its blocks of 1024. */
static void every_way_gives_the_same_value(void **state)
{
    unsigned char *bytes = drawn();
    (void)state;

    for (size_t number = 1; hash_variants(number); number++)
        for (size_t size = 0; size + 3 < BYTES; size += 1 + size / 64)
            for (uint64_t seed = 0; seed < 3; seed++)
                CHECK(hash_variants(number)(bytes + seed, size, seed << 62) ==
                      hash_variants(0)(bytes + seed, size, seed << 62));
    free(bytes);
}

/* Files and frames of other versions and machines have these. */
static void the_values_are_those_of_xxh3(void **state)
{
    unsigned char *bytes = drawn();
    (void)state;

    CHECK(bytes_hash("", 0, 0) == UINT64_C(0x2d06800538d394c2));
    CHECK(bytes_hash(bytes, BYTES, 0) == UINT64_C(0xb9d5cf500f67ddde));
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_gives_the_same_value),
        cmocka_unit_test(the_values_are_those_of_xxh3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
