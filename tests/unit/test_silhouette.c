#include "tests/check.h"

#include <math.h>
#include <stdlib.h>

#include "scoring/metrics/silhouette.h"

#define ROWS  3000
#define WIDTH 3

/* A few groups, each with some rows that occur twice. */
static void make_rows(float rows[ROWS][WIDTH], uint32_t clusters[ROWS])
{
    uint32_t random = 1;

    for (uint32_t i = 0; i < ROWS; i++) {
        clusters[i] = 7 * (i % 5);
        for (uint32_t j = 0; j < WIDTH; j++) {
            random = random * 1664525 + 1013904223;
            rows[i][j] = (float)(i % 5 * (j + 1)) + (float)(random >> 8) / 0x1p23f;
        }
        for (uint32_t j = 0; i % 10 == 9 && j < WIDTH; j++)
            rows[i][j] = rows[i - 5][j];
    }
}

static void it_is_that_of_scikit_learn(void **state)
{
    /* silhouette_score(rows, clusters) of scikit-learn 1.9.1; the last row is alone */
    const float rows[8][2] = {{0, 0}, {1, 0}, {0, 2}, {3, 1}, {8, 8}, {9, 7}, {7, 9}, {20, -4}};
    const uint32_t clusters[8] = {5, 5, 5, 5, 2, 2, 2, 9};
    struct silhouette silhouette;
    struct error err;
    (void)state;

    CHECK_OK(silhouette_init(&silhouette, 2, &err));
    for (uint32_t i = 0; i < 8; i++)
        CHECK(silhouette_add(&silhouette, rows[i], clusters[i]));
    CHECK(fabs(silhouette_value(&silhouette) - 0.6901059284791813) < 1e-12);
    silhouette_deinit(&silhouette);
}

static void the_order_of_the_rows_makes_no_difference(void **state)
{
    static float rows[ROWS][WIDTH];
    static uint32_t clusters[ROWS];
    struct silhouette ordered, other;
    struct error err;
    (void)state;

    make_rows(rows, clusters);
    CHECK_OK(silhouette_init(&ordered, WIDTH, &err));
    CHECK_OK(silhouette_init(&other, WIDTH, &err));
    for (uint32_t i = 0; i < ROWS; i++) {
        const uint32_t row = i * 1009 % ROWS;

        silhouette_add(&ordered, rows[i], clusters[i]);
        silhouette_add(&other, rows[row], clusters[row]);
        if (i == ROWS / 2) /* rows can be added behind a value */
            CHECK(isfinite(silhouette_value(&other)));
    }
    CHECK_INT(ordered.count, SILHOUETTE_ROWS);
    CHECK(silhouette_value(&ordered) == silhouette_value(&other));
    CHECK(silhouette_value(&ordered) > 0.3 && silhouette_value(&ordered) < 1);
    silhouette_deinit(&ordered);
    silhouette_deinit(&other);
}

/* Workers leave out what is not in the sample of their shard. */
static void rows_of_the_samples_of_parts_make_the_sample_of_all(void **state)
{
    static float rows[ROWS][WIDTH];
    static uint32_t clusters[ROWS];
    struct silhouette whole, part, joined;
    uint32_t left_out = 0;
    struct error err;
    (void)state;

    make_rows(rows, clusters);
    CHECK_OK(silhouette_init(&whole, WIDTH, &err));
    CHECK_OK(silhouette_init(&part, WIDTH, &err));
    CHECK_OK(silhouette_init(&joined, WIDTH, &err));
    for (uint32_t i = 0; i < ROWS; i++) {
        if (i == 100 || i == 1500)
            silhouette_clear(&part);
        silhouette_add(&whole, rows[i], clusters[i]);
        if (silhouette_add(&part, rows[i], clusters[i]))
            silhouette_add(&joined, rows[i], clusters[i]);
        else
            left_out++;
    }
    CHECK(left_out > 100);
    CHECK(silhouette_value(&whole) == silhouette_value(&joined));
    silhouette_deinit(&whole);
    silhouette_deinit(&part);
    silhouette_deinit(&joined);
}

static void what_has_no_silhouette_is_not_a_number(void **state)
{
    const float rows[3] = {1, 2, 2};
    struct silhouette silhouette;
    struct error err;
    (void)state;

    CHECK_OK(silhouette_init(&silhouette, 1, &err));
    CHECK(isnan(silhouette_value(&silhouette)));
    for (uint32_t i = 0; i < 3; i++)
        silhouette_add(&silhouette, &rows[i], 4);
    CHECK(isnan(silhouette_value(&silhouette)));
    silhouette_clear(&silhouette);
    silhouette_add(&silhouette, &rows[1], 0);
    silhouette_add(&silhouette, &rows[1], 0);
    silhouette_add(&silhouette, &rows[2], 1);
    CHECK(silhouette_value(&silhouette) == 0); /* all rows are equal */
    silhouette_deinit(&silhouette);
}

static void many_inputs_make_a_smaller_sample(void **state)
{
    struct silhouette silhouette;
    struct error err;
    (void)state;

    CHECK_OK(silhouette_init(&silhouette, 10000, &err));
    CHECK_INT(silhouette.rows_most, 99);
    silhouette_deinit(&silhouette);
    CHECK_OK(silhouette_init(&silhouette, 99, &err));
    CHECK_INT(silhouette.rows_most, SILHOUETTE_ROWS);
    silhouette_deinit(&silhouette);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_that_of_scikit_learn),
        cmocka_unit_test(the_order_of_the_rows_makes_no_difference),
        cmocka_unit_test(rows_of_the_samples_of_parts_make_the_sample_of_all),
        cmocka_unit_test(what_has_no_silhouette_is_not_a_number),
        cmocka_unit_test(many_inputs_make_a_smaller_sample),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
