#include "tests/check.h"

#include "base/random.h"
#include "scoring/numbers/elementary.h"

static double draw(uint64_t i)
{
    return 2 * random_uniform(1, RANDOM_SIMULATION, 0, i) - 1;
}

static void doubles_are_exact_to_about_the_last_place(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 100000; i++) {
        const double x = ldexp(draw(i), (int)(i % 40) - 30), e = exponential_double(x);
        const double power = ldexp(1 + fabs(draw(i)), (int)(i % 2000) - 1000);
        const double y = i % 3 ? power : 1 + x / 2048, l = logarithm_double(y);

        CHECK(fabs(e - exp(x)) <= 4e-16 * exp(x));
        CHECK(fabs(l - log(y)) <= 4e-16 * fabs(log(y)));
    }
}

static void the_ends_of_a_double_are_zero_and_infinity(void **state)
{
    (void)state;
    CHECK(exponential_double(-709) == 0 && exponential_double(-INFINITY) == 0);
    CHECK(exponential_double(-707) > 0 && exponential_double(709) < INFINITY);
    CHECK(exponential_double(710) == INFINITY && exponential_double(INFINITY) == INFINITY);
    CHECK(exponential_double(0) == 1 && logarithm_double(1) == 0);
    CHECK(isnan(exponential_double(NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_are_exact_to_about_the_last_place),
        cmocka_unit_test(the_ends_of_a_double_are_zero_and_infinity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
