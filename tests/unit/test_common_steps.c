#include "tests/check.h"

#include "forecast/time/common_steps.h"
#include "inputs/cells/dates.h"

#define TIMES_MAX 64

static int64_t time_of(const char *text)
{
    struct date date;

    CHECK(date_read(slice_of(text), &date));
    return date.day * DAY_MICROSECONDS + date.microsecond;
}

/* Times separated by ";", which ascend. */
static uint32_t read_times(const char *text, int64_t times[TIMES_MAX])
{
    uint32_t count = 0;

    for (const char *at = text; at; count++) {
        const char *end = strchr(at, ';');
        const size_t size = end ? (size_t)(end - at) : strlen(at);
        char one[40];

        CHECK(count < TIMES_MAX);
        slice_copy((struct slice){at, size}, one, sizeof one);
        times[count] = time_of(one);
        at = end ? end + 1 : NULL;
    }
    return count;
}

static void add_text(int64_t counts[COMMON_STEPS_COUNTS], const char *text)
{
    int64_t times[TIMES_MAX];
    const uint32_t count = read_times(text, times);

    common_steps_add(counts, times, count, false);
}

static struct steps common(const char *const *series)
{
    int64_t counts[COMMON_STEPS_COUNTS] = {0};

    for (int i = 0; series[i]; i++)
        add_text(counts, series[i]);
    return common_steps_find(counts, false);
}

static struct steps common_numbers(const int64_t *times, const uint32_t *counts_of, uint32_t series)
{
    int64_t counts[COMMON_STEPS_COUNTS] = {0};

    for (uint32_t i = 0; i < series; times += counts_of[i++])
        common_steps_add(counts, times, counts_of[i], true);
    return common_steps_find(counts, true);
}

#define SERIES(...)  ((const char *const[]){__VA_ARGS__, NULL})
#define DAYS(count)  ((count)*DAY_MICROSECONDS)
#define HOURS(count) ((count) * (DAY_MICROSECONDS / 24))

static void check_steps(struct steps steps, enum step_unit unit, int64_t size)
{
    CHECK_INT(steps.unit, unit);
    CHECK_INT(steps.size, size);
}

static void months_are_common_where_all_series_have_them(void **state)
{
    (void)state;
    check_steps(common(SERIES("2024-01-01;2024-02-01", "2023-05-01;2024-03-01")), STEP_MONTH, 1);
    /* Each on its own day of the month, and at its own time of the day. */
    check_steps(common(SERIES("2024-01-15;2024-02-15", "2023-05-01 06:00;2024-03-01 06:00")),
                STEP_MONTH, 1);
    check_steps(common(SERIES("2024-01-01;2024-07-01", "2020-04-01;2021-01-01")), STEP_MONTH, 3);
    check_steps(common(SERIES("2020-01-01;2022-01-01", "2020-04-01;2024-04-01")), STEP_MONTH, 24);
    check_steps(common(SERIES("2024-01-31;2024-02-29;2024-03-31", "2023-04-30;2023-06-30")),
                STEP_MONTH_END, 1);
    /* Ends of February are both: the 28th of a month, and its end. */
    check_steps(common(SERIES("2023-01-28;2023-02-28", "2021-02-28;2022-02-28")), STEP_MONTH, 1);
    check_steps(common(SERIES("2023-02-28;2023-03-31", "2021-02-28;2022-02-28")), STEP_MONTH_END,
                1);
}

static void a_day_that_is_no_month_makes_days(void **state)
{
    (void)state;
    check_steps(common(SERIES("2024-01-01;2024-02-01", "2024-01-02;2024-01-03")), STEP_MICROSECOND,
                DAYS(1));
    check_steps(common(SERIES("2024-01-01;2024-02-01", "2024-01-31;2024-02-29")), STEP_MICROSECOND,
                DAYS(1));
}

static void weekdays_are_common_where_nobody_has_a_weekend(void **state)
{
    const char *over = "2024-01-04;2024-01-05;2024-01-08", *within = "2024-01-02;2024-01-03";
    const char *weekend = "2024-01-05;2024-01-06;2024-01-07";
    (void)state;

    check_steps(common(SERIES(over, within)), STEP_WEEKDAY, 1);
    check_steps(common(SERIES(within, within)), STEP_MICROSECOND, DAYS(1));
    check_steps(common(SERIES(over, weekend)), STEP_MICROSECOND, DAYS(1));
}

/* One that is sold each tenth day, or each seventh, does not come each day by itself. */
static void sparse_series_take_the_step_of_all(void **state)
{
    (void)state;
    check_steps(common(SERIES("2024-01-01;2024-01-11;2024-01-21", "2024-01-01;2024-01-08")),
                STEP_MICROSECOND, DAYS(1));
    check_steps(common(SERIES("2024-01-01;2024-01-08;2024-01-29", "2024-01-03;2024-01-17")),
                STEP_MICROSECOND, DAYS(7));
    check_steps(common(SERIES("2024-01-01;2024-02-12", "2024-01-03;2024-02-21")), STEP_MICROSECOND,
                DAYS(7));
}

static void hours_and_what_is_smaller_are_found(void **state)
{
    (void)state;
    check_steps(common(SERIES("2024-01-01 00:00;2024-01-01 06:00", "2024-01-01;2024-01-01 04:00")),
                STEP_MICROSECOND, HOURS(2));
    check_steps(common(SERIES("2024-01-01 00:00;2024-01-01 00:15")), STEP_MICROSECOND,
                HOURS(1) / 4);
    check_steps(common(SERIES("2024-01-01;2024-01-02", "2024-01-01 12:00;2024-01-01 13:00")),
                STEP_MICROSECOND, HOURS(1));
    check_steps(common(SERIES("2024-01-01 00:00:00.001;2024-01-01 00:00:00.004")), STEP_MICROSECOND,
                3000);
}

/* Whatever the differences are, each time is a step: one that is not would lose its value. */
static void each_time_is_a_step(void **state)
{
    (void)state;
    for (int64_t difference = 1; difference < 3000; difference += 7) {
        int64_t times[] = {5000, 5000 + 1000 * difference, 5000 + 67000 * difference};
        int64_t counts[COMMON_STEPS_COUNTS] = {0};
        struct steps steps;

        common_steps_add(counts, times, 3, false);
        add_text(counts, "2024-01-01;2024-01-02");
        steps = common_steps_find(counts, false);
        steps.first = times[0];
        for (int i = 0; i < 3; i++)
            CHECK_INT(steps_time(&steps, steps_index(&steps, times[i])), times[i]);
    }
}

static void series_of_one_time_fit_all(void **state)
{
    static const uint32_t lengths[] = {1, 1};
    static const int64_t numbers[] = {5, 9};
    (void)state;

    check_steps(common(SERIES("2024-01-06", "2024-01-03 05:00")), STEP_MICROSECOND, DAYS(1));
    check_steps(common(SERIES("2024-01-13", "2024-01-31;2024-02-29", "2024-05-05")), STEP_MONTH_END,
                1);
    check_steps(common_numbers(numbers, lengths, 2), STEP_NUMBER, 1);
    check_steps(common_numbers(numbers, lengths, 0), STEP_NUMBER, 1);
}

static void numbers_have_the_greatest_step_that_all_have(void **state)
{
    static const int64_t numbers[] = {1990, 1994, 2000, 3, 15, -100, -94, 0};
    static const uint32_t two[] = {3, 2}, three[] = {3, 2, 3};
    static const int64_t far[] = {-TIME_NUMBER_MAX, TIME_NUMBER_MAX};
    static const int64_t primes[] = {0, 67 * 61, 2 * 67 * 61};
    static const uint32_t one[] = {3}, pair[] = {2};
    struct steps steps;
    (void)state;

    check_steps(common_numbers(numbers, two, 2), STEP_NUMBER, 2);
    check_steps(common_numbers(numbers, three, 3), STEP_NUMBER, 2);
    check_steps(common_numbers(numbers + 3, pair, 1), STEP_NUMBER, 12);
    check_steps(common_numbers(primes, one, 1), STEP_NUMBER, 61); /* 67 does not count */
    steps = common_numbers(far, pair, 1);
    CHECK_INT(steps.size, 1 << 16);
}

/* The part of a number whose prime factors count. */
static int64_t counted_part(int64_t number)
{
    static const struct {
        int64_t prime, most;
    } powers[] = {{2, 1 << 16}, {3, 6561}, {5, 9765625}, {7, 2401}, {11, 121}, {13, 169}};
    int64_t counted = 1;

    for (int64_t prime = 2; prime <= 61; prime++) {
        int64_t most = prime, power = 1;

        for (size_t i = 0; i < sizeof powers / sizeof *powers; i++)
            if (powers[i].prime == prime)
                most = powers[i].most;
        for (; number % prime == 0; number /= prime)
            if (power < most)
                power *= prime;
        counted *= power;
    }
    return counted;
}

static void the_step_is_the_greatest_common_divisor(void **state)
{
    (void)state;
    for (int64_t size = 1; size < 5000; size++) {
        const int64_t numbers[] = {17, 17 + size, 17 + 3 * size, 17, 17 + 2 * size};
        static const uint32_t lengths[] = {3, 2};

        check_steps(common_numbers(numbers, lengths, 2), STEP_NUMBER, counted_part(size));
    }
}

/* Counts made in parts have the same sums. */
static void counts_of_parts_are_added(void **state)
{
    const char *const series[] = {"2024-01-04;2024-01-05;2024-01-08", "2024-01-02",
                                  "2024-01-02;2024-01-05;2024-01-31", "2024-02-29;2024-03-29",
                                  "2024-01-01 06:00;2024-01-02 06:00"};
    int64_t all[COMMON_STEPS_COUNTS] = {0};
    (void)state;

    for (int i = 0; i < 5; i++)
        add_text(all, series[i]);
    for (unsigned split = 0; split < 1 << 5; split++) {
        int64_t parts[2][COMMON_STEPS_COUNTS] = {{0}};

        for (int i = 5; i-- > 0;)
            add_text(parts[split >> i & 1], series[i]);
        for (int i = 0; i < COMMON_STEPS_COUNTS; i++)
            CHECK_INT(parts[0][i] + parts[1][i], all[i]);
    }
    check_steps(common_steps_find(all, false), STEP_WEEKDAY, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(months_are_common_where_all_series_have_them),
        cmocka_unit_test(a_day_that_is_no_month_makes_days),
        cmocka_unit_test(weekdays_are_common_where_nobody_has_a_weekend),
        cmocka_unit_test(sparse_series_take_the_step_of_all),
        cmocka_unit_test(hours_and_what_is_smaller_are_found),
        cmocka_unit_test(each_time_is_a_step),
        cmocka_unit_test(series_of_one_time_fit_all),
        cmocka_unit_test(numbers_have_the_greatest_step_that_all_have),
        cmocka_unit_test(the_step_is_the_greatest_common_divisor),
        cmocka_unit_test(counts_of_parts_are_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
