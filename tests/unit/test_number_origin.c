#include "scoring/transform/number_origin.h"

#include <math.h>

#include "tests/check.h"

#define COUNT 1001

/* from, from + step, ... */
static void fill(double *sorted, size_t count, double from, double step)
{
    for (size_t i = 0; i < count; i++)
        sorted[i] = from + step * (double)i;
}

static void numbers_that_floats_tell_apart_have_no_origin(void **state)
{
    double sorted[COUNT];
    (void)state;

    fill(sorted, COUNT, 0, 1);
    CHECK(number_origin_of_input(sorted, COUNT) == 0);
    fill(sorted, COUNT, 1e6, 0.1); /* rounded, but each to another one */
    CHECK(number_origin_of_input(sorted, COUNT) == 0);
    fill(sorted, COUNT, 7, 0);
    CHECK(number_origin_of_input(sorted, COUNT) == 0);
    CHECK(number_origin_of_input(sorted, 0) == 0);
}

static void seconds_and_days_have_one_in_their_midst(void **state)
{
    double sorted[COUNT];
    (void)state;

    fill(sorted, COUNT, 1700000000, 1);
    CHECK(number_origin_of_input(sorted, COUNT) == 1700000500);
    fill(sorted, COUNT, 20240101, 1);
    CHECK(number_origin_of_input(sorted, COUNT) == 20240601);
}

static void a_few_far_numbers_do_not_move_it(void **state)
{
    double sorted[COUNT];
    (void)state;

    fill(sorted, COUNT, 1700000000, 1);
    sorted[0] = sorted[1] = 0;
    CHECK(number_origin_of_input(sorted, COUNT) == 1700000500);
    CHECK(number_origin_of_label(sorted, COUNT) == 1700000500);
}

static void an_origin_that_helps_nobody_is_none(void **state)
{
    double sorted[] = {-1e9 - 1, -1e9, 0, 1e9, 1e9 + 1};
    (void)state;

    CHECK(number_origin_of_input(sorted, 5) == 0);
    sorted[0] = sorted[1] = sorted[2] = -INFINITY;
    CHECK(number_origin_of_input(sorted, 5) == 0);
    CHECK(number_origin_of_label(sorted, 5) == 0);
    CHECK(number_origin_of_thresholds(sorted, 5) == 0);
}

static void labels_have_one_where_they_are_far_from_0_by_their_width(void **state)
{
    double sorted[COUNT];
    (void)state;

    fill(sorted, COUNT, -500, 1);
    CHECK(number_origin_of_label(sorted, COUNT) == 0);
    fill(sorted, COUNT, LABEL_ORIGIN_LEAST * 500 - 500 - 1, 1); /* the middle half is 500 wide */
    CHECK(number_origin_of_label(sorted, COUNT) == 0);
    fill(sorted, COUNT, -LABEL_ORIGIN_LEAST * 500 - 500 - 1, 1);
    CHECK(number_origin_of_label(sorted, COUNT) == -LABEL_ORIGIN_LEAST * 500 - 1);
    fill(sorted, COUNT, 1e8 + 0.3, 0);
    CHECK(number_origin_of_label(sorted, COUNT) == 1e8 + 0.3);
    fill(sorted, COUNT, 3.75, 0); /* a float */
    CHECK(number_origin_of_label(sorted, COUNT) == 0);
}

static void thresholds_have_one_where_floats_would_move_them(void **state)
{
    double sorted[COUNT];
    (void)state;

    fill(sorted, COUNT, 0.5, 0.01);
    CHECK(number_origin_of_thresholds(sorted, COUNT) == 0);
    fill(sorted, COUNT, 1.7e9, 7.2);
    CHECK(number_origin_of_thresholds(sorted, COUNT) == sorted[500]);
    sorted[0] = 0.5;
    CHECK(number_origin_of_thresholds(sorted, 1) == 0);
    sorted[0] = 1.7e9 + 60;
    CHECK(number_origin_of_thresholds(sorted, 1) == 1.7e9 + 60);
    CHECK(number_origin_of_thresholds(sorted, 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_floats_tell_apart_have_no_origin),
        cmocka_unit_test(seconds_and_days_have_one_in_their_midst),
        cmocka_unit_test(a_few_far_numbers_do_not_move_it),
        cmocka_unit_test(an_origin_that_helps_nobody_is_none),
        cmocka_unit_test(labels_have_one_where_they_are_far_from_0_by_their_width),
        cmocka_unit_test(thresholds_have_one_where_floats_would_move_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
