/* Bounds of rounded numbers: those of 400 decimal digits (Python's decimal), to the last bit. */
#include "inputs/bounds.h"
#include "planner/columns/column_rounds.h"

#include <math.h>

#include "tests/check.h"

#define COUNT 709

static double bounds[COUNT];

static void check_bucket(uint32_t count, double number, uint32_t bucket)
{
    assert_int_equal(bounds_bucket(bounds, count, number), bucket);
}

static void numbers_are_rounded_half_to_even(void **state)
{
    (void)state;
    round_bounds(bounds, 4);
    check_bucket(4, -7, 0);
    check_bucket(4, 0.5, 0);
    check_bucket(4, nextafter(0.5, 1), 1);
    check_bucket(4, nextafter(1.5, 0), 1);
    check_bucket(4, 1.5, 2);
    check_bucket(4, 2.5, 2);
    check_bucket(4, 3.1, 3);
    check_bucket(4, 4, 4);
    check_bucket(4, 1e300, 4);
    assert_true(bounds_ascend(bounds, 4));
}

static void no_more_bounds_are_written_than_asked_for(void **state)
{
    (void)state;
    for (uint32_t count = 0; count < 6; count++) {
        bounds[count] = -1;
        round_bounds(bounds, count);
        assert_true(bounds[count] == -1);
        assert_true(log_round_bounds(2, bounds, count));
        assert_true(bounds[count] == -1);
    }
}

/* The numbers of ElasticDL's own example, of base 2 and 16 categories. */
static void logarithms_are_those_of_elasticdl(void **state)
{
    static const double numbers[] = {1.2, 1.6, 0.2, 3.1, 100};
    static const uint32_t wanted[] = {0, 1, 0, 2, 7};
    (void)state;

    assert_true(log_round_bounds(2, bounds, 15));
    for (int i = 0; i < 5; i++)
        check_bucket(15, numbers[i], wanted[i]);
    check_bucket(15, 0, 0);
    check_bucket(15, -3, 0);
    check_bucket(15, 1e9, 15);
}

static void bounds_are_exact(void **state)
{
    static const struct {
        double base;
        uint32_t at;
        double bound;
    } wanted[] = {
        {0, 0, 0x1.a61298e1e069cp+0},      {0, 1, 0x1.1ed3fe64fc542p+2},
        {0, 10, 0x1.1bb7015e84d3cp+15},    {0, 300, 0x1.719c25b8f5b4bp+433},
        {0, 708, 0x1.1bf058bc994aep+1022}, {2, 0, 0x1.6a09e667f3bcdp+0},
        {2, 300, 0x1.6a09e667f3bcdp+300},  {10, 0, 0x1.94c583ada5b53p+1},
        {10, 16, 0x1.c162fdb89e9d5p+54},   {10, 307, 0x1.68423588e3be1p+1021},
        {1.5, 5, 0x1.299cedd04aa80p+3},    {1.5, 400, 0x1.364ab04466e71p+234},
    };
    (void)state;

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_true(log_round_bounds(wanted[i].base, bounds, wanted[i].at + 1));
        assert_true(bounds[wanted[i].at] == wanted[i].bound);
        assert_true(bounds_ascend(bounds, wanted[i].at + 1));
    }
}

/* log4(2) is 1/2, log4(8) 3/2, log4(32) 5/2: to 0, 2, 2. */
static void halves_of_logarithms_go_to_even(void **state)
{
    (void)state;
    assert_true(log_round_bounds(4, bounds, 6));
    check_bucket(6, 2, 0);
    check_bucket(6, nextafter(2, 3), 1);
    check_bucket(6, 8, 2);
    check_bucket(6, nextafter(8, 7), 1);
    check_bucket(6, 32, 2);
}

static void bounds_beyond_all_numbers_are_none(void **state)
{
    (void)state;
    assert_true(log_round_bounds(10, bounds, 308));
    assert_false(log_round_bounds(10, bounds, 309));
    assert_false(log_round_bounds(1e200, bounds, 3));
    assert_true(log_round_bounds(nextafter(1, 2), bounds, COUNT));
    assert_true(bounds_ascend(bounds, COUNT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_rounded_half_to_even),
        cmocka_unit_test(no_more_bounds_are_written_than_asked_for),
        cmocka_unit_test(logarithms_are_those_of_elasticdl),
        cmocka_unit_test(bounds_are_exact),
        cmocka_unit_test(halves_of_logarithms_go_to_even),
        cmocka_unit_test(bounds_beyond_all_numbers_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
