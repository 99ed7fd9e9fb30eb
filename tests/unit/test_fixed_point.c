#include "tests/check.h"

#include <float.h>
#include <math.h>

#include "base/random.h"
#include "learn/fixed_point.h"

#define COUNT 1003 /* no multiple of any vector's width */

static float draw(uint64_t a, uint64_t b)
{
    return (float)(2 * random_uniform(1, RANDOM_SIMULATION, a, b) - 1);
}

static void sums_do_not_depend_on_the_order_of_their_terms(void **state)
{
    static float values[20][COUNT];
    static int64_t forward[COUNT], backward[COUNT];

    (void)state;
    memset(forward, 0, sizeof forward);
    memset(backward, 0, sizeof backward);
    for (int lane = 0; lane < 20; lane++)
        for (int i = 0; i < COUNT; i++)
            values[lane][i] = ldexpf(draw(lane, i), i % 40 - 30);
    for (int lane = 0; lane < 20; lane++)
        fixed_add(values[lane], COUNT, 30, forward);
    for (int lane = 19; lane >= 0; lane--)
        fixed_add(values[lane], COUNT, 30, backward);
    assert_memory_equal(forward, backward, sizeof forward);
}

static void a_value_becomes_the_nearest_integer(void **state)
{
    const float values[] = {0,        1,     -1,     0.25f,      -0.25f,
                            0.375f,   1.5f,  2.5f,   -0x1p-40f,  0x1.fffffep45f,
                            -1024.5f, 1e-9f, -1e-9f, 12345.678f, -0x1p45f};
    int64_t sums[15] = {0};

    (void)state;
    fixed_add(values, 15, 3, sums);
    for (int i = 0; i < 15; i++)
        CHECK(sums[i] == (int64_t)rint((double)values[i] * 8));
    fixed_add(values, 15, 3, sums);
    for (int i = 0; i < 15; i++)
        CHECK(sums[i] == 2 * (int64_t)rint((double)values[i] * 8));
}

static void what_was_added_comes_back(void **state)
{
    static float values[COUNT], back[COUNT];
    static int64_t sums[COUNT];

    (void)state;
    memset(sums, 0, sizeof sums);
    for (int i = 0; i < COUNT; i++)
        values[i] = draw(3, i) * 1e-6f;
    fixed_add(values, COUNT, 50, sums);
    fixed_resolve(sums, COUNT, 50, back);
    for (int i = 0; i < COUNT; i++)
        CHECK(fabsf(values[i] - back[i]) <= 0x1p-51f);
}

static void a_sum_of_many_full_lanes_stays_in_range(void **state)
{
    const float full = 0x1.fffffep50f;
    int64_t sum = 0;
    float back;

    (void)state;
    CHECK(fixed_fits(fixed_greatest(&full, 1), 0));
    for (int lane = 0; lane < 1024; lane++)
        fixed_add(&full, 1, 0, &sum);
    fixed_resolve(&sum, 1, 0, &back);
    CHECK(back == 0x1.fffffep60f);
}

static void what_does_not_fit_is_seen(void **state)
{
    const float values[] = {1, -0x1p51f, 3};
    const float infinite[] = {1, -INFINITY}, broken[] = {NAN, 2};

    (void)state;
    CHECK(fixed_fits(fixed_greatest(values, 1), 30));
    CHECK(!fixed_fits(fixed_greatest(values, 3), 0));
    CHECK(fixed_fits(fixed_greatest(values, 3), -1));
    CHECK(!fixed_is_finite(fixed_greatest(infinite, 2)));
    CHECK(!fixed_is_finite(fixed_greatest(broken, 2)));
    CHECK(!fixed_fits(fixed_greatest(broken, 2), -200));
    CHECK_INT(fixed_greatest(values, 0), 0);
}

static void the_next_scale_puts_the_greatest_sum_below_2_to_36(void **state)
{
    const float sums[] = {1, 1.5f, 0x1.fffffep-1f, 1e-30f, 3e37f, 1e-44f, 0x1p-12f};

    (void)state;
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        int exponent = fixed_next_exponent(fixed_greatest(&sums[i], 1), 30);
        double scaled = ldexp((double)sums[i], exponent);

        CHECK(scaled >= 0x1p35 && scaled < 0x1p36);
    }
    CHECK_INT(fixed_next_exponent(0, 17), 17);
}

static void coarser_scales_take_every_finite_value_in_the_end(void **state)
{
    const float most = FLT_MAX;
    int exponent = 184, times = 0;

    (void)state;
    while (!fixed_fits(fixed_greatest(&most, 1), exponent) && times++ < 30)
        exponent = fixed_coarser_exponent(exponent);
    CHECK(times < 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_do_not_depend_on_the_order_of_their_terms),
        cmocka_unit_test(a_value_becomes_the_nearest_integer),
        cmocka_unit_test(what_was_added_comes_back),
        cmocka_unit_test(a_sum_of_many_full_lanes_stays_in_range),
        cmocka_unit_test(what_does_not_fit_is_seen),
        cmocka_unit_test(the_next_scale_puts_the_greatest_sum_below_2_to_36),
        cmocka_unit_test(coarser_scales_take_every_finite_value_in_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
