#include "runtime/data/robust_range.h"

#include <math.h>

#include "base/random.h"
#include "tests/check.h"

#define COUNT 1000

/* Uniform in [0, 1): its quartiles are a quarter and three quarters. */
static void fill(double *numbers)
{
    for (uint64_t i = 0; i < COUNT; i++)
        numbers[i] = random_uniform(1, RANDOM_INITIAL, 0, i);
}

static void the_middle_half_decides_whatever_the_rest_is(void **state)
{
    double numbers[COUNT];
    struct robust_range plain, coded;
    (void)state;

    fill(numbers);
    CHECK(robust_range_of(numbers, COUNT, &plain));
    CHECK(fabs(plain.middle - 0.5) < 0.05 && fabs(plain.deviation - 0.5 / 1.349) < 0.03);
    fill(numbers);
    for (uint32_t i = 0; i < COUNT; i += 10)
        numbers[i] = i % 20 ? -999 : 1e300;
    CHECK(robust_range_of(numbers, COUNT, &coded));
    CHECK(fabs(coded.middle - 0.5) < 0.1 && fabs(coded.deviation - 0.5 / 1.349) < 0.08);
}

static void the_order_of_the_numbers_changes_nothing(void **state)
{
    double numbers[COUNT], other[COUNT];
    struct robust_range one, two;
    (void)state;

    fill(numbers);
    for (uint32_t i = 0; i < COUNT; i++)
        other[i] = numbers[COUNT - 1 - i];
    CHECK(robust_range_of(numbers, COUNT, &one) && robust_range_of(other, COUNT, &two));
    CHECK(one.middle == two.middle && one.deviation == two.deviation);
}

static void numbers_that_are_mostly_the_same_go_by_their_tails(void **state)
{
    double numbers[COUNT] = {0};
    struct robust_range range;
    (void)state;

    for (uint32_t i = 0; i < COUNT / 5; i++)
        numbers[i] = 1;
    CHECK(robust_range_of(numbers, COUNT, &range));
    CHECK(range.middle == 0 && fabs(range.deviation - 1 / 3.29) < 1e-12);
    for (uint32_t i = 0; i < COUNT; i++)
        numbers[i] = i == 7 ? 1e9 : 3;
    CHECK(!robust_range_of(numbers, COUNT, &range));
    CHECK(!robust_range_of(numbers, ROBUST_ROWS_MIN - 1, &range));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_middle_half_decides_whatever_the_rest_is),
        cmocka_unit_test(the_order_of_the_numbers_changes_nothing),
        cmocka_unit_test(numbers_that_are_mostly_the_same_go_by_their_tails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
