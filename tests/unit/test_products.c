#include "tests/check.h"

#include <math.h>
#include <stdlib.h>

#include "arithmetic/products.h"
#include "arithmetic/self_test.h"
#include "base/random.h"

#define ELEMENTS 40000

static float draw(uint64_t a, uint64_t b)
{
    return (float)(2 * random_uniform(1, RANDOM_SIMULATION, a, b) - 1);
}

static float *drawn(uint64_t number)
{
    float *values = malloc(ELEMENTS * sizeof *values);

    for (size_t i = 0; i < ELEMENTS; i++)
        values[i] = draw(number, i);
    return values;
}

/* Every tile has its turn: rows and columns up to beyond the largest one, and
 * more rows of b than are taken at a time. */
static const size_t shapes[][3] = {
    {1, 1, 1},   {1, 5, 1},   {16, 28, 64},  {16, 64, 32}, {16, 32, 3},
    {7, 3, 17},  {13, 9, 49}, {25, 10, 40},  {5, 64, 96},  {3, 2, 130},
    {31, 1, 15}, {2, 0, 20},  {6, 1100, 33}, {1, 90, 300}, {11, 7, 8},
    {12, 6, 24}, {9, 8, 47},  {4, 2050, 7},  {19, 20, 63}, {23, 4, 80},
};

/* The definition, word for word. */
static void by_definition(const struct product *p)
{
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < p->m; j++) {
            float sum = p->start ? p->start[i * p->start_row + j] : 0;
            for (size_t q = 0; q < p->k; q++)
                sum = fmaf(p->a[i * p->a_row + q * p->a_column], p->b[q * p->b_row + j], sum);
            p->c[i * p->c_row + j] = sum;
        }
}

static void check_product(const struct product_variant *way, struct product p, const float *before)
{
    float *expected = malloc(ELEMENTS * sizeof *expected), *found;

    found = malloc(ELEMENTS * sizeof *found);
    memcpy(expected, before, ELEMENTS * sizeof *expected);
    memcpy(found, before, ELEMENTS * sizeof *found);
    if (p.start == before)
        p.start = expected;
    p.c = expected;
    by_definition(&p);
    if (p.start == expected)
        p.start = found;
    p.c = found;
    way->compute(&p);
    if (memcmp(found, expected, ELEMENTS * sizeof *found) != 0)
        check_failed("%s: (%zu,%zu)(%zu,%zu)", way->name, p.n, p.k, p.k, p.m);
    free(expected);
    free(found);
}

static void every_way_gives_the_bits_of_the_definition(void **state)
{
    float *a = drawn(0), *b = drawn(1), *c = drawn(2);
    (void)state;

    for (size_t w = 0; product_variants(w); w++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            const size_t n = shapes[s][0], k = shapes[s][1], m = shapes[s][2];
            struct product p = {
                .n = n, .k = k, .m = m, .a = a, .a_row = k, .a_column = 1, .b = b, .b_row = m};

            p.c_row = m + 3; /* numbers between rows stay */
            check_product(product_variants(w), p, c);
            p.start = a; /* the same for each row */
            check_product(product_variants(w), p, c);
            p.start = c; /* added to what is there */
            p.start_row = p.c_row;
            check_product(product_variants(w), p, c);
            p.a_row = 1; /* a as it lies transposed */
            p.a_column = n;
            check_product(product_variants(w), p, c);
        }
    CHECK(product_variants(0) && strcmp(product_variants(0)->name, "plain") == 0);
    free(a);
    free(b);
    free(c);
}

static void every_way_gives_the_same_dots(void **state)
{
    float *a = drawn(3), *b = drawn(4), expected[20], found[20];
    (void)state;

    for (size_t k = 0; k < 100; k++) {
        product_variants(0)->dots(20, k, a, b, 0.25f, expected);
        for (size_t w = 0; product_variants(w); w++) {
            product_variants(w)->dots(20, k, a, b, 0.25f, found);
            CHECK(memcmp(found, expected, sizeof found) == 0);
        }
        for (size_t i = 0; i < 20; i++) {
            double sum = 0.25;
            for (size_t q = 0; q < k; q++)
                sum += (double)a[i * k + q] * (double)b[q];
            CHECK(fabs(sum - (double)expected[i]) < 1e-5);
        }
    }
    free(a);
    free(b);
}

static void what_is_not_a_number_stays_so(void **state)
{
    float a[32] = {[3] = NAN}, b[32] = {0}, c[1];
    (void)state;

    for (size_t w = 0; product_variants(w); w++) {
        const struct product p = {.n = 1,
                                  .k = 32,
                                  .m = 1,
                                  .a = a,
                                  .a_row = 32,
                                  .a_column = 1,
                                  .b = b,
                                  .b_row = 1,
                                  .c = c};

        product_variants(w)->compute(&p);
        CHECK(isnan(c[0]));
        product_variants(w)->dots(1, 32, a, b, 0, c);
        CHECK(isnan(c[0]));
    }
}

static void one_bit_wrong(const struct product *product)
{
    product_compute(product);
    product->c[7] = nextafterf(product->c[7], 2);
}

static void dots_one_bit_wrong(size_t n, size_t k, const float *a, const float *b, float start,
                               float *c)
{
    product_dots(n, k, a, b, start, c);
    c[0] = nextafterf(c[0], 2);
}

static void the_self_test_finds_one_wrong_bit(void **state)
{
    const struct product_variant wrong[] = {{"product", one_bit_wrong, product_dots},
                                            {"dots", product_compute, dots_one_bit_wrong}};
    struct error err;
    (void)state;

    for (size_t number = 0; product_variants(number); number++)
        CHECK(self_test_digest(product_variants(number)) == SELF_TEST_DIGEST);
    CHECK_OK(self_test(&err));
    for (size_t i = 0; i < 2; i++)
        CHECK(self_test_digest(&wrong[i]) != SELF_TEST_DIGEST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_self_test_finds_one_wrong_bit),
        cmocka_unit_test(every_way_gives_the_bits_of_the_definition),
        cmocka_unit_test(every_way_gives_the_same_dots),
        cmocka_unit_test(what_is_not_a_number_stays_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
