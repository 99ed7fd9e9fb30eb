#include "tests/check.h"

#include <float.h>
#include <math.h>

#include "base/random.h"
#include "base/sums/words.h"
#include "runtime/learn/fixed_point.h"

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

/* Rounded to double and then to float, as the machine does it. */
static void any_sum_becomes_the_nearest_real(void **state)
{
    enum { SUMS = 64 * 9 };
    static int64_t sums[SUMS];
    static float reals[SUMS];
    (void)state;

    for (int bit = 0; bit < 62; bit++)
        for (int i = 0; i < 9; i++) /* beside a power of two, and halfway between doubles */
            sums[9 * bit + i] =
                (((int64_t)1 << bit) + (i / 2 - 2) + (bit > 55 ? (int64_t)1 << (bit - 53) : 0)) *
                (i % 2 ? -1 : 1);
    for (int exponent = -20; exponent <= 60; exponent += 20) {
        const struct fixed_resolved resolved = fixed_resolve(sums, SUMS, exponent, reals);

        CHECK(resolved.sums == words_sum_long(sums, SUMS));
        CHECK_INT(resolved.values, words_sum(reals, SUMS));
        for (int i = 0; i < SUMS; i++)
            CHECK(reals[i] == (float)((double)sums[i] * ldexp(1, -exponent)));
    }
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
        int exponent = fixed_next_exponent(fixed_greatest(&sums[i], 1), -1, 30);
        double scaled = ldexp((double)sums[i], exponent);

        CHECK(scaled >= 0x1p35 && scaled < 0x1p36);
    }
    CHECK_INT(fixed_next_exponent(0, -1, 17), 17);
    CHECK_INT(fixed_next_exponent(0, 5, 17), 17);
}

static int level_of(float value, int exponent)
{
    return fixed_level(fixed_greatest(&value, 1), exponent);
}

static void levels_are_counted_as_sums_are(void **state)
{
    int64_t counts[FIXED_COUNT_WORDS] = {0}, more[FIXED_COUNT_WORDS] = {0};

    (void)state;
    CHECK_INT(level_of(0, 30), -1);
    CHECK_INT(level_of(0x1p-40f, 30), 0);
    CHECK_INT(level_of(0x1.fffffep-31f, 30), 0);
    CHECK_INT(level_of(0x1p-30f, 30), 1);
    CHECK_INT(level_of(-0x1.fffffep-27f, 30), 1);
    CHECK_INT(level_of(0x1p-26f, 30), 2);
    CHECK_INT(level_of(0x1.fffffep50f, 0), FIXED_LEVELS - 1);
    CHECK_INT(fixed_highest_level(counts), -1);
    for (int lane = 0; lane < 1024; lane++)
        fixed_count_level(lane % 3 ? 4 : -1, counts);
    CHECK_INT(fixed_highest_level(counts), 4);
    for (int level = 0; level < FIXED_LEVELS; level++) {
        for (int lane = 0; lane < 300; lane++)
            fixed_count_level(level, more);
        for (int i = 0; i < FIXED_COUNT_WORDS; i++)
            counts[i] += more[i];
        CHECK_INT(fixed_highest_level(counts), level < 4 ? 4 : level);
        memset(more, 0, sizeof more);
    }
}

/* Lanes that cancel each other fit in the next step, too, and with eight times their size. */
static void the_next_scale_has_room_for_the_greatest_lane(void **state)
{
    (void)state;
    for (int power = -60; power < 20; power++) {
        const float sum = ldexpf(1, -50), lane = ldexpf(1.9f, power),
                    larger = ldexpf(1.9f, power + 3);
        const int before = 30;
        int next;

        if (!fixed_fits(fixed_greatest(&lane, 1), before))
            continue;
        next = fixed_next_exponent(fixed_greatest(&sum, 1), level_of(lane, before), before);
        CHECK(level_of(lane, before) == 0 || fixed_fits(fixed_greatest(&larger, 1), next));
    }
}

static void what_is_too_small_for_a_scale_gets_a_finer_one(void **state)
{
    const float tiny = 0x1p-90f;
    int exponent = 30, steps = 0;

    (void)state;
    while (level_of(tiny, exponent) == 0 && steps++ < 10)
        exponent = fixed_next_exponent(0, 0, exponent);
    CHECK_INT(steps, 2);
    CHECK(fixed_fits(fixed_greatest(&tiny, 1), exponent));
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
        cmocka_unit_test(any_sum_becomes_the_nearest_real),
        cmocka_unit_test(a_sum_of_many_full_lanes_stays_in_range),
        cmocka_unit_test(what_does_not_fit_is_seen),
        cmocka_unit_test(the_next_scale_puts_the_greatest_sum_below_2_to_36),
        cmocka_unit_test(levels_are_counted_as_sums_are),
        cmocka_unit_test(the_next_scale_has_room_for_the_greatest_lane),
        cmocka_unit_test(what_is_too_small_for_a_scale_gets_a_finer_one),
        cmocka_unit_test(coarser_scales_take_every_finite_value_in_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
