#include "runtime/learn/trees/objective/wide_sums.h"
#include "tests/check.h"

static void sums_of_any_order_are_the_same_and_lose_nothing(void **state)
{
    static const double numbers[] = {1e30,  -3.25,    1e-30, -1e30, 7e15,  1e-9,
                                     -7e15, 0x1p-140, 0.1,   -0.1,  -1e-30};
    const size_t count = sizeof numbers / sizeof *numbers;
    int64_t forward[WIDE_DIGITS] = {0}, backward[WIDE_DIGITS] = {0};
    (void)state;

    for (size_t i = 0; i < count; i++) {
        wide_sum_add(forward, numbers[i]);
        wide_sum_add(backward, numbers[count - 1 - i]);
    }
    assert_memory_equal(forward, backward, sizeof forward);
    CHECK(fabs(wide_sum_value(forward) - (-3.25 + 1e-9)) < 1e-15);
}

static void what_is_not_finite_or_too_small_is_cut(void **state)
{
    int64_t digits[WIDE_DIGITS] = {0};
    (void)state;

    wide_sum_add(digits, 1e-300);
    wide_sum_add(digits, 0);
    CHECK(wide_sum_value(digits) == 0);
    wide_sum_add(digits, NAN);
    CHECK(wide_sum_value(digits) == WIDE_MOST);
    wide_sum_add(digits, -INFINITY);
    CHECK(wide_sum_value(digits) == 0);
    wide_sum_add(digits, 0x1.8p-139);
    CHECK(wide_sum_value(digits) == 0x1.8p-139);
}

static void many_rows_of_a_full_digit_add_up(void **state)
{
    int64_t digits[WIDE_DIGITS] = {0};
    (void)state;

    for (int i = 0; i < 100000; i++)
        wide_sum_add(digits, 0x1.fffffffffffffp+20);
    CHECK(fabs(wide_sum_value(digits) / (100000 * 0x1.fffffffffffffp+20) - 1) < 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_any_order_are_the_same_and_lose_nothing),
        cmocka_unit_test(what_is_not_finite_or_too_small_is_cut),
        cmocka_unit_test(many_rows_of_a_full_digit_add_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
