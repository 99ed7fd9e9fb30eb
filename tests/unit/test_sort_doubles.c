#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/random.h"
#include "base/sort_doubles.h"
#include "tests/check.h"

#define MOST 5000

static const size_t sizes[] = {0, 1, 2, 255, 256, 257, 1000, MOST};

static uint64_t bits_of(uint64_t number)
{
    return random_bits(7, RANDOM_INITIAL, number, 0);
}

/* All finite and infinite numbers, subnormal ones too. */
static double any(uint64_t number)
{
    uint64_t bits = bits_of(number);
    double value;

    memcpy(&value, &bits, sizeof value);
    return isnan(value) ? INFINITY : value;
}

static double whole(uint64_t number)
{
    return (double)(int64_t)(bits_of(number) % 2001) - 1000;
}

static double near(uint64_t number)
{
    return 1e9 + (double)(bits_of(number) % 100) / 64;
}

static double same(uint64_t number)
{
    (void)number;
    return -2.5;
}

static double zeros(uint64_t number)
{
    return bits_of(number) % 2 ? -0.0 : (double)(bits_of(number) % 3);
}

static void check(double (*made)(uint64_t), size_t count)
{
    double *sorted = test_malloc((count + 1) * sizeof *sorted);
    double *expected = test_malloc((count + 1) * sizeof *expected);

    for (size_t i = 0; i < count; i++)
        sorted[i] = expected[i] = made(i);
    sorted[count] = expected[count] = 42;
    qsort(expected, count, sizeof *expected, order_of_doubles);
    sort_doubles(sorted, count);
    assert_memory_equal(sorted, expected, (count + 1) * sizeof *sorted);
    test_free(sorted);
    test_free(expected);
}

static void test_numbers_are_sorted_as_by_qsort(void **state)
{
    double (*const kinds[])(uint64_t) = {any, whole, near, same, zeros};
    (void)state;

    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            check(kinds[kind], sizes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_sorted_as_by_qsort),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
