#include "tests/check.h"

#include <math.h>

#include "runtime/role/usage.h"

static void assert_close(double found, double wanted)
{
    if (!(fabs(found - wanted) < 1e-9))
        check_failed("%.12g, where %.12g was computed by hand", found, wanted);
}

static void nothing_is_known_before_two_reports_of_one_group(void **state)
{
    struct usage usage;
    (void)state;

    usage_init(&usage, 1000);
    CHECK(isnan(usage_goodput(&usage, 0)));
    usage_count(&usage, 2000, 2);
    usage_report(&usage, 2000, 1, 2, 100);
    CHECK(isnan(usage_goodput(&usage, 100)));
    assert_close(usage_slot_seconds(&usage), 2);
}

/* 2 workers from 0 to 10 s; 100 rows a second, no deaths, but the first second
 * goes into meeting: 1800 of 2000 slot centiseconds, 900 rows. */
static void meeting_lowers_the_goodput(void **state)
{
    struct usage usage;
    (void)state;

    usage_init(&usage, 0);
    usage_count(&usage, 1000, 2);
    usage_report(&usage, 1000, 1, 2, 0);
    usage_count(&usage, 10000, 2);
    usage_report(&usage, 10000, 1, 2, 900);
    assert_close(usage_slot_seconds(&usage), 20);
    assert_close(usage_goodput(&usage, 900), 18.0 / 20);
}

/* One of 4 dies at 5 s: the phase in flight, 40 ms old, is computed again by
 * three, which met after 60 ms more; the first report of theirs comes a second later.
 *   0 .. 5 s      4 slots, 400 rows/s: 2000 rows, 20 slot seconds
 *   5 .. 6 s      3 slots: 250 rows, which take .01 slot seconds each: 2.5
 *   6 .. 10 s     3 slots, 300 rows/s: 1200 rows, 12 slot seconds
 * 3450 rows at (20 + 12) / (2000 + 1200) slot seconds. */
static void what_a_death_costs_is_in_the_goodput(void **state)
{
    struct usage usage;
    (void)state;

    usage_init(&usage, 0);
    usage_report(&usage, 0, 1, 4, 0);
    usage_count(&usage, 5000, 4);
    usage_report(&usage, 5000, 1, 4, 2000);
    usage_count(&usage, 6000, 3);
    usage_report(&usage, 6000, 2, 3, 2250);
    usage_count(&usage, 10000, 3);
    usage_report(&usage, 10000, 2, 3, 3450);
    assert_close(usage_slot_seconds(&usage), 35);
    assert_close(usage_goodput(&usage, 3450), 34.5 / 35);
}

/* All die at 4 s, 300 of 400 rows are lost with them; the job is done at 8 s. */
static void rows_that_are_learned_again_count_once(void **state)
{
    struct usage usage;
    (void)state;

    usage_init(&usage, 0);
    usage_report(&usage, 0, 1, 1, 0);
    usage_count(&usage, 4000, 1);
    usage_report(&usage, 4000, 1, 1, 400);
    usage_count(&usage, 4000, 0);
    usage_report(&usage, 4000, 2, 1, 100);
    usage_count(&usage, 8000, 1);
    usage_report(&usage, 8000, 2, 1, 500);
    assert_close(usage_goodput(&usage, 500), 5.0 / 8);
}

static void who_stands_by_is_up_and_does_nothing(void **state)
{
    struct usage usage;
    (void)state;

    usage_init(&usage, 0);
    usage_report(&usage, 0, 1, 2, 0);
    usage_count(&usage, 1000, 3);
    usage_report(&usage, 1000, 1, 2, 10);
    assert_close(usage_goodput(&usage, 10), 2.0 / 3);
}

static void the_next_master_goes_on_counting(void **state)
{
    struct usage usage;
    (void)state;

    usage_init(&usage, 0);
    usage_continue(&usage, 10, 0.8, 400);
    assert_close(usage_goodput(&usage, 400), 0.8);
    usage_report(&usage, 0, 5, 1, 400);
    usage_count(&usage, 2000, 1); /* at the same pace: .02 slot seconds a row */
    usage_report(&usage, 2000, 5, 1, 500);
    assert_close(usage_goodput(&usage, 500), 10.0 / 12);
    usage_init(&usage, 0);
    usage_continue(&usage, (double)NAN, 2, 1);
    assert_close(usage_slot_seconds(&usage), 0);
    CHECK(isnan(usage_goodput(&usage, 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known_before_two_reports_of_one_group),
        cmocka_unit_test(meeting_lowers_the_goodput),
        cmocka_unit_test(what_a_death_costs_is_in_the_goodput),
        cmocka_unit_test(rows_that_are_learned_again_count_once),
        cmocka_unit_test(who_stands_by_is_up_and_does_nothing),
        cmocka_unit_test(the_next_master_goes_on_counting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
