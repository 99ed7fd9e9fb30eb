#include "tests/check.h"

#include "forecast/time/steps.h"
#include "inputs/cells/dates.h"

#define TIMES_MAX 64

static int64_t time_of(const char *text)
{
    struct date date;

    CHECK(date_read(slice_of(text), &date));
    return date.day * DAY_MICROSECONDS + date.microsecond;
}

/* The step of these times, separated by ";", and the times at `ahead` steps after the last. */
static struct steps check_next(const char *times_text, const char *const *next)
{
    int64_t times[TIMES_MAX], last;
    uint32_t count = 0;
    struct slice left = slice_of(times_text);
    struct steps steps;

    while (left.size) {
        const char *end = memchr(left.data, ';', left.size);
        const size_t size = end ? (size_t)(end - left.data) : left.size;
        char text[40];

        slice_copy((struct slice){left.data, size}, text, sizeof text);
        times[count++] = time_of(text);
        left.data += end ? size + 1 : size;
        left.size -= end ? size + 1 : size;
    }
    steps = steps_find(times, count, false);
    last = steps_index(&steps, times[count - 1]);
    CHECK_INT(steps_index(&steps, times[0]), 0);
    for (uint32_t i = 0; i < count; i++)
        CHECK(steps_time(&steps, steps_index(&steps, times[i])) == times[i]);
    for (int i = 0; next[i]; i++)
        if (steps_time(&steps, last + 1 + i) != time_of(next[i]))
            check_failed("step %d after %s is not %s", i + 1, times_text, next[i]);
    return steps;
}

static void check_seasons(struct steps steps, uint32_t first, uint32_t second)
{
    uint32_t lengths[2] = {0, 0};

    CHECK_INT(steps_seasons(&steps, lengths), !!first + !!second);
    CHECK_INT(lengths[0], first);
    CHECK_INT(lengths[1], second);
}

#define NEXT(...) ((const char *const[]){__VA_ARGS__, NULL})

static void months_are_found(void **state)
{
    (void)state;
    check_seasons(check_next("2023-11-15;2023-12-15;2024-02-15", NEXT("2024-03-15", "2024-04-15")),
                  12, 0);
    check_seasons(check_next("2023-12-31;2024-01-31;2024-02-29", NEXT("2024-03-31", "2024-04-30")),
                  12, 0);
    check_seasons(check_next("2024-02-29;2024-03-31", NEXT("2024-04-30")), 12, 0);
    check_seasons(check_next("2023-01-01;2023-04-01;2023-10-01", NEXT("2024-01-01")), 4, 0);
    check_seasons(check_next("2020-12-31;2021-12-31", NEXT("2022-12-31", "2023-12-31")), 0, 0);
    check_seasons(check_next("1969-12-01 06:00;1970-01-01 06:00", NEXT("1970-02-01 06:00")), 12, 0);
    check_seasons(check_next("0001-01-01;0001-02-01", NEXT("0001-03-01")), 12, 0);
}

static void days_weeks_and_weekdays_are_found(void **state)
{
    (void)state;
    check_seasons(check_next("2024-02-27;2024-02-28;2024-03-01", NEXT("2024-03-02")), 7, 0);
    check_seasons(check_next("2024-01-01;2024-01-08;2024-01-22", NEXT("2024-01-29")), 52, 0);
    check_seasons(
        check_next("2024-01-04;2024-01-05;2024-01-08",
                   NEXT("2024-01-09", "2024-01-10", "2024-01-11", "2024-01-12", "2024-01-15")),
        5, 0);
    /* Before 1970, and no Monday after a Friday: days. */
    check_seasons(check_next("1969-12-25;1969-12-26;1969-12-29", NEXT("1969-12-30")), 5, 0);
    check_seasons(check_next("2024-01-02;2024-01-03;2024-01-04", NEXT("2024-01-05", "2024-01-06")),
                  7, 0);
    check_seasons(check_next("2024-01-06", NEXT("2024-01-07")), 7, 0);
}

static void hours_and_minutes_are_found(void **state)
{
    (void)state;
    check_seasons(check_next("2024-01-01 22:00;2024-01-01 23:00", NEXT("2024-01-02")), 24, 168);
    check_seasons(check_next("2024-01-01 22:30;2024-01-01 22:45", NEXT("2024-01-01 23:00")), 96,
                  672);
    check_seasons(check_next("2024-01-01 00:00;2024-01-01 00:00:01", NEXT("2024-01-01 00:00:02")),
                  3600, 0);
    check_seasons(check_next("2024-01-01 00:00;2024-01-01 07:00", NEXT("2024-01-01 14:00")), 24, 0);
}

static void numbers_have_a_step_and_no_season(void **state)
{
    static const int64_t times[] = {1990, 1994, 2000};
    const struct steps steps = steps_find(times, 3, true);

    (void)state;
    CHECK_INT(steps.size, 2);
    CHECK_INT(steps_index(&steps, 2000), 5);
    CHECK_INT(steps_time(&steps, 6), 2002);
    check_seasons(steps, 0, 0);
}

static void time_has_an_end(void **state)
{
    const int64_t last[] = {time_of("9999-12-30"), time_of("9999-12-31")};
    const int64_t large[] = {-TIME_NUMBER_MAX, TIME_NUMBER_MAX};
    struct steps steps = steps_find(last, 2, false);

    (void)state;
    CHECK(steps_has(&steps, 1) && !steps_has(&steps, 2) && !steps_has(&steps, 2000000));
    steps = steps_find(large, 2, true);
    CHECK(steps_has(&steps, 1) && !steps_has(&steps, 2) && !steps_has(&steps, 2000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(months_are_found),
        cmocka_unit_test(days_weeks_and_weekdays_are_found),
        cmocka_unit_test(hours_and_minutes_are_found),
        cmocka_unit_test(numbers_have_a_step_and_no_season),
        cmocka_unit_test(time_has_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
