#include "tests/check.h"

#include <stdlib.h>

#include "base/sums/hash.h"
#include "base/sums/hash_variants.h"

#define BYTES 5000

static unsigned char *drawn(void)
{
    unsigned char *bytes = malloc(BYTES);

    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)(i * 131 + i / 251);
    return bytes;
}

/* Lengths around those at which XXH3 changes its way: 16, 128, 240 and its blocks of 1024. */
static void check_way(hash_variant *way, const unsigned char *bytes)
{
    for (size_t size = 0; size + 3 < BYTES; size += 1 + size / 64)
        for (uint64_t seed = 0; seed < 3; seed++)
            CHECK(way(bytes + seed, size, seed << 62) ==
                  hash_variants(0)(bytes + seed, size, seed << 62));
}

/* Those that this processor has, each of them: none is left out where it could be compared. */
static void every_way_gives_the_same_value(void **state)
{
    unsigned char *bytes = drawn();
    size_t number = 0;
    (void)state;

    print_message("compared with the plain way:");
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        print_message(" AVX2");
        CHECK(hash_variants(++number) == hash_avx2);
        check_way(hash_avx2, bytes);
    }
    if (__builtin_cpu_supports("avx512f")) {
        print_message(" AVX-512");
        CHECK(hash_variants(++number) == hash_avx512);
        check_way(hash_avx512, bytes);
    }
#endif
    print_message(number ? "\n" : " none, as this processor has no other\n");
    CHECK(hash_variants(number + 1) == NULL);
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
