#include "runtime/learn/trees/objective/leaf_quantiles.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/check.h"

#define ROWS 500

struct row {
    uint32_t leaf;
    float residual;
    int64_t weight;
};

/* Rows are counted by two parties, whose counts are added. */
static void search_rows(struct leaf_quantiles *search, const struct row *rows, uint32_t count)
{
    uint32_t phases = 0;

    while (!leaf_quantiles_are_found(search)) {
        const uint32_t length = leaf_quantiles_counts(search);
        int64_t *counts = calloc(length, sizeof *counts);

        CHECK(counts != NULL);
        for (uint32_t i = 0; i < count; i += 2)
            leaf_quantiles_count(search, rows[i].leaf, rows[i].residual, rows[i].weight, counts);
        for (uint32_t i = 1; i < count; i += 2)
            leaf_quantiles_count(search, rows[i].leaf, rows[i].residual, rows[i].weight, counts);
        leaf_quantiles_take(search, counts);
        free(counts);
        CHECK(++phases <= 8);
    }
}

static float quantile_of_rows(double quantile, bool is_weighted, const struct row *rows,
                              uint32_t count)
{
    struct leaf_quantiles search = {0};
    struct error err;
    float value;

    CHECK_OK(leaf_quantiles_begin(&search, quantile, is_weighted, 1, &err));
    search_rows(&search, rows, count);
    value = leaf_quantiles_value(&search, 0);
    leaf_quantiles_deinit(&search);
    return value;
}

/* The leaf that XGBoost 3.2 makes of rows without a split, eta 1. Weights 1, 2, 3, 1, 1. */
static void quantiles_are_those_of_xgboost(void **state)
{
    static const float residuals[] = {1, 1.5f, 10, 4, 6};
    static const int64_t weights[] = {1, 2, 3, 1, 1};
    static const struct {
        double quantile, plain, weighted;
    } cases[] = {{.1, 1, 1}, {.25, 1.25, 1.5}, {.5, 4, 4}, {.9, 10, 10}, {.97, 10, 10}};
    struct row rows[5];
    (void)state;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int is_weighted = 0; is_weighted < 2; is_weighted++) {
            for (int i = 0; i < 5; i++)
                rows[i] = (struct row){0, residuals[i], is_weighted ? weights[i] : 1};
            CHECK((double)quantile_of_rows(cases[k].quantile, is_weighted, rows, 5) ==
                  (is_weighted ? cases[k].weighted : cases[k].plain));
        }
}

static void numbers_of_any_size_are_found_to_the_bit(void **state)
{
    static const float numbers[] = {-FLT_MAX, -2.5f,   -FLT_MIN, -1e-45f, -0.0f,
                                    1e-45f,   FLT_MIN, 1,        1e18f,   FLT_MAX};
    struct row rows[10];
    (void)state;

    for (int i = 0; i < 10; i++)
        rows[(7 * i) % 10] = (struct row){0, numbers[i], 1};
    for (int i = 0; i < 10; i++)
        CHECK(quantile_of_rows((i + 1) / 11., false, rows, 10) == numbers[i]);
    CHECK(leaf_quantiles_key(-0.0f) == leaf_quantiles_key(0));
}

static int by_residual(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    return (x->residual > y->residual) - (x->residual < y->residual);
}

/* The quantile of the sorted rows of a leaf. */
static float expected(double quantile, bool is_weighted, const struct row *rows, uint32_t count)
{
    const struct quantile_place place = quantile_place_of(quantile, count);
    const double below = (double)rows[place.first].residual;
    const double above = (double)rows[place.first + (place.fraction > 0)].residual;
    int64_t total = 0, sum = 0;

    for (uint32_t i = 0; i < count; i++)
        total += rows[i].weight;
    for (uint32_t i = 0; is_weighted && i < count; i++) {
        sum += rows[i].weight;
        if ((double)sum >= quantile * (double)total)
            return rows[i].residual;
    }
    return (float)(below + place.fraction * (above - below));
}

static void leaves_have_quantiles_of_their_own(void **state)
{
    static const double quantiles[] = {.05, .3, .5, .8, .999};
    (void)state;

    for (uint32_t k = 0; k < 20; k++) {
        const bool is_weighted = k % 2;
        const uint32_t leaves = k < 10 ? 7 : 5000; /* with digits of 8 and of 4 bits */
        struct leaf_quantiles search = {0};
        struct row rows[ROWS], of_leaf[ROWS];
        struct error err;

        for (uint32_t i = 0; i < ROWS; i++)
            rows[i] = (struct row){
                (uint32_t)(random_uniform(1, RANDOM_SIMULATION, k, i) * 5), /* two have no rows */
                (float)floor(40 * random_uniform(2, RANDOM_SIMULATION, k, i) - 20) / 4,
                is_weighted ? (int64_t)(9 * random_uniform(3, RANDOM_SIMULATION, k, i)) + 1 : 1};
        CHECK_OK(leaf_quantiles_begin(&search, quantiles[k % 5], is_weighted, leaves, &err));
        CHECK(leaf_quantiles_counts(&search) <= leaf_quantiles_counts_most(leaves));
        CHECK(leaf_quantiles_counts(&search) <= leaf_quantiles_counts_most(65536));
        search_rows(&search, rows, ROWS);
        for (uint32_t leaf = 0; leaf < leaves; leaf++) {
            uint32_t count = 0;

            for (uint32_t i = 0; i < ROWS; i++)
                if (rows[i].leaf == leaf)
                    of_leaf[count++] = rows[i];
            qsort(of_leaf, count, sizeof *of_leaf, by_residual);
            CHECK(leaf_quantiles_value(&search, leaf) ==
                  (count > 0 ? expected(quantiles[k % 5], is_weighted, of_leaf, count) : 0));
        }
        leaf_quantiles_deinit(&search);
    }
}

static void a_place_is_within_the_rows(void **state)
{
    (void)state;
    for (uint64_t rows = 1; rows < 200; rows++)
        for (int i = 0; i <= 1000; i++) {
            const struct quantile_place place = quantile_place_of(i / 1000., rows);

            CHECK(place.fraction >= 0 && place.fraction < 1);
            CHECK(place.first + (place.fraction > 0) < rows);
            CHECK(quantile_place_by_weight(i / 1000., rows).first < rows);
        }
}

static void a_search_goes_on_at_the_digits_that_there_are(void **state)
{
    (void)state;
    CHECK(leaf_quantiles_can_have(3, 8) && leaf_quantiles_can_have(3, 24));
    CHECK(!leaf_quantiles_can_have(3, 4) && !leaf_quantiles_can_have(3, 32));
    CHECK(leaf_quantiles_can_have(5000, 4) && !leaf_quantiles_can_have(5000, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_those_of_xgboost),
        cmocka_unit_test(numbers_of_any_size_are_found_to_the_bit),
        cmocka_unit_test(leaves_have_quantiles_of_their_own),
        cmocka_unit_test(a_place_is_within_the_rows),
        cmocka_unit_test(a_search_goes_on_at_the_digits_that_there_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
