/* Values of a series as logarithms and powers, and back. */
#include <math.h>

#include "forecast/transform.h"
#include "tests/check.h"

static void values_come_back(void **state)
{
    static const double values[] = {1e-30, 0.001, 0.5, 1, 1.5, 12, 1e6, 3e20};
    (void)state;

    for (int tenth = 0; tenth <= 10; tenth++)
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            const double lambda = tenth / 10.0, x = transform_value(lambda, values[i]);

            CHECK(x != 0);
            if (lambda == 0 || lambda == 1 || values[i] > 0.01) /* powers of less are all near 0 */
                CHECK(fabs(transform_back(lambda, x) / values[i] - 1) < 1e-9);
        }
    CHECK(isnan(transform_value(0, NAN)));
    CHECK(transform_value(TRANSFORM_NONE, -3) == -3 && transform_back(TRANSFORM_NONE, -3) == -3);
}

static void what_is_too_far_stays_a_number(void **state)
{
    (void)state;

    CHECK(transform_back(0, 1e6) == TRANSFORM_MOST && transform_back(0, -1e6) == 0);
    CHECK(transform_back(0.5, -3) == 0 && transform_back(0.1, 1e30) == TRANSFORM_MOST);
    CHECK(transform_mean(0.5, 1e19, 1e19) <= TRANSFORM_MOST);
    CHECK(transform_mean(0.5, -3, 1) == 0);
}

/* The mean of exp(x), and of (x / 2 + 1)^2, which is (m / 2 + 1)^2 + variance / 4, of a normal x.
 */
static void means_are_those_of_the_distribution(void **state)
{
    (void)state;

    CHECK(fabs(transform_mean(0, 2, 0.6) / exp(2 + 0.18) - 1) < 1e-12);
    CHECK(fabs(transform_mean(0.5, 6, 1.5) - (16 + 1.5 * 1.5 / 4)) < 1e-9);
    CHECK(transform_mean(TRANSFORM_NONE, 6, 1.5) == 6);
}

static void the_transform_is_told_by_how_deviations_grow(void **state)
{
    double values[120];
    (void)state;

    for (int i = 0; i < 120; i++)
        values[i] = exp(i / 20.0) * (1 + 0.1 * (i * 7919 % 13 - 6) / 6.0);
    CHECK(transform_choose(values, 120, 12) == 0);
    for (int i = 0; i < 120; i++)
        values[i] = 100 + 40 * i + (i * 7919 % 13 - 6);
    CHECK(transform_choose(values, 120, 1) >= 0.9);
    CHECK(transform_choose(values, 6, 1) == TRANSFORM_NONE);
    for (int i = 0; i < 120; i++)
        values[i] = i % 3 == 0 ? NAN : 5;
    CHECK(transform_choose(values, 120, 1) == TRANSFORM_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_back),
        cmocka_unit_test(what_is_too_far_stays_a_number),
        cmocka_unit_test(means_are_those_of_the_distribution),
        cmocka_unit_test(the_transform_is_told_by_how_deviations_grow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
