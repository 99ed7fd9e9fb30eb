#include "arithmetic/self_test.h"

#include <inttypes.h>
#include <string.h>

#define ROWS   48
#define SIDE   48 /* no multiple of the widest way's registers times their number: edges count */
#define ROUNDS 256

/* From -1 to 1, so that products of them neither grow nor vanish. */
static void fill(float *values, size_t count, uint64_t *state)
{
    for (size_t i = 0; i < count; i++) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        values[i] = (float)((double)(*state >> 11) / (double)(UINT64_C(1) << 52) - 1);
    }
}

static uint64_t mix(uint64_t digest, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;

        memcpy(&bits, &values[i], sizeof bits);
        digest = (digest ^ bits) * UINT64_C(0x100000001b3);
    }
    return digest;
}

uint64_t self_test_digest(const struct product_variant *variant)
{
    float a[ROWS * SIDE], b[SIDE * SIDE], c[ROWS * SIDE], sums[ROWS];
    const struct product product = {.n = ROWS,
                                    .k = SIDE,
                                    .m = SIDE,
                                    .a = a,
                                    .a_row = SIDE,
                                    .a_column = 1,
                                    .b = b,
                                    .b_row = SIDE,
                                    .c = c,
                                    .c_row = SIDE};
    uint64_t digest = UINT64_C(0xcbf29ce484222325), state = 1;

    fill(a, ROWS * SIDE, &state);
    for (int round = 0; round < ROUNDS; round++) {
        fill(b, SIDE * SIDE, &state);
        variant->compute(&product);
        variant->dots(ROWS, SIDE, c, b, 0, sums);
        digest = mix(mix(digest, c, ROWS * SIDE), sums, ROWS);
        for (size_t i = 0; i < ROWS * SIDE; i++)
            a[i] = c[i] / 4; /* about the square root of a third of the side: sizes stay */
    }
    return digest;
}

enum status self_test(struct error *err)
{
    uint64_t digest = 0;

    for (size_t number = 0; product_variants(number); number++)
        if (!product_variants(number + 1))
            digest = self_test_digest(product_variants(number));
    if (digest == SELF_TEST_DIGEST)
        return STATUS_OK;
    fail(err, STATUS_CORRUPT,
         "this machine computes wrongly: the digest of its self-test is %016" PRIx64
         ", not %016" PRIx64,
         digest, SELF_TEST_DIGEST);
    return error_hint(err, "Its processor or its memory is damaged: take the machine away.");
}
