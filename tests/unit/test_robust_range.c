#include "runtime/data/statistics/robust_range.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "tests/check.h"

#define COUNT 1000

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static bool range_of(double *numbers, size_t count, struct robust_range *range)
{
    qsort(numbers, count, sizeof *numbers, compare);
    return robust_range_of(numbers, count, range);
}

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
    CHECK(range_of(numbers, COUNT, &plain));
    CHECK(fabs(plain.middle - 0.5) < 0.05 && fabs(plain.deviation - 0.5 / 1.349) < 0.03);
    fill(numbers);
    for (uint32_t i = 0; i < COUNT; i += 10)
        numbers[i] = i % 20 ? -999 : 1e300;
    CHECK(range_of(numbers, COUNT, &coded));
    CHECK(fabs(coded.middle - 0.5) < 0.1 && fabs(coded.deviation - 0.5 / 1.349) < 0.08);
}

static void numbers_that_are_mostly_the_same_go_by_their_tails(void **state)
{
    double numbers[COUNT] = {0};
    struct robust_range range;
    (void)state;

    for (uint32_t i = 0; i < COUNT / 5; i++)
        numbers[i] = 1;
    CHECK(range_of(numbers, COUNT, &range));
    CHECK(range.middle == 0 && fabs(range.deviation - 1 / 3.29) < 1e-12);
    for (uint32_t i = 0; i < COUNT; i++)
        numbers[i] = i == 7 ? 1e9 : 3;
    CHECK(!range_of(numbers, COUNT, &range));
    CHECK(range.deviation == 0);
    CHECK(!range_of(numbers, ROBUST_COUNT_MIN - 1, &range));
    for (uint32_t i = 0; i < COUNT; i++)
        numbers[i] = i % 2 ? 1.7e308 : -1.7e308; /* too wide for a number */
    CHECK(!range_of(numbers, COUNT, &range));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_middle_half_decides_whatever_the_rest_is),
        cmocka_unit_test(numbers_that_are_mostly_the_same_go_by_their_tails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
