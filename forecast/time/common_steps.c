#include "forecast/time/common_steps.h"

#define MILLISECOND INT64_C(1000) /* microseconds */

/* Divisors that are counted: powers of primes, those of one behind each other. */
static const struct prime {
    int64_t prime;
    uint32_t powers; /* powers of the primes in a day of milliseconds: 2^10, 3^3 and 5^5 */
} primes[] = {{2, 16}, {3, 8},  {5, 10}, {7, 4},  {11, 2}, {13, 2}, {17, 1}, {19, 1}, {23, 1},
              {29, 1}, {31, 1}, {37, 1}, {41, 1}, {43, 1}, {47, 1}, {53, 1}, {59, 1}, {61, 1}};
#define PRIMES (sizeof primes / sizeof *primes)

/* Counts: series of more than one time, and those of them that ... */
enum {
    COUNT_SERIES,
    COUNT_WEEKDAYS,     /* have no time on a weekend */
    COUNT_OVER_WEEKEND, /* have a Friday and the Monday behind it */
    COUNT_MONTHS,       /* are months apart, on one day of them */
    COUNT_MONTH_ENDS,
    COUNT_MONTH_POWERS, /* months apart that are divisible by these: */
    MONTH_POWERS = 8,
    COUNT_POWERS = COUNT_MONTH_POWERS + MONTH_POWERS
};
static const int64_t month_powers[MONTH_POWERS] = {2, 4, 8, 3, 9, 5, 7, 11};
static const int64_t month_primes[MONTH_POWERS] = {2, 2, 2, 3, 3, 5, 7, 11};

_Static_assert(COUNT_POWERS + 16 + 8 + 10 + 4 + 2 + 2 + 12 <= COMMON_STEPS_COUNTS, "all have room");

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

static void add_powers(int64_t counts[COMMON_STEPS_COUNTS], int64_t divisor)
{
    uint32_t at = COUNT_POWERS;

    for (size_t i = 0; i < PRIMES; i++) {
        int64_t power = 1;

        for (uint32_t p = 0; p < primes[i].powers; p++) {
            power *= primes[i].prime;
            counts[at++] += divisor % power == 0;
        }
    }
}

void common_steps_add(int64_t counts[COMMON_STEPS_COUNTS], const int64_t *times, uint32_t count,
                      bool are_numbers)
{
    const struct calendar_fit fit =
        are_numbers ? (struct calendar_fit){.months = 0} : calendar_fit_of(times, count);
    int64_t divisor = 0;

    if (count < 2)
        return;
    for (uint32_t i = 1; i < count; i++)
        divisor = common_divisor(divisor, times[i] - times[i - 1]);
    counts[COUNT_SERIES]++;
    counts[COUNT_WEEKDAYS] += fit.are_weekdays;
    counts[COUNT_OVER_WEEKEND] += fit.is_over_weekend;
    counts[COUNT_MONTHS] += fit.months > 0 && fit.are_same_days;
    counts[COUNT_MONTH_ENDS] += fit.months > 0 && fit.are_month_ends;
    for (uint32_t i = 0; i < MONTH_POWERS; i++)
        counts[COUNT_MONTH_POWERS + i] += fit.months > 0 && fit.months % month_powers[i] == 0;
    add_powers(counts, are_numbers ? divisor : divisor / MILLISECOND);
}

/* The product of those powers that all series have. */
static int64_t common_months(const int64_t counts[COMMON_STEPS_COUNTS])
{
    int64_t months = 1;

    for (uint32_t i = 0; i < MONTH_POWERS; i++)
        if (counts[COUNT_MONTH_POWERS + i] == counts[COUNT_SERIES])
            months *= month_primes[i];
    return months;
}

static int64_t common_size(const int64_t counts[COMMON_STEPS_COUNTS])
{
    uint32_t at = COUNT_POWERS;
    int64_t size = 1;

    for (size_t i = 0; i < PRIMES; i++)
        for (uint32_t p = 0; p < primes[i].powers; p++)
            if (counts[at++] == counts[COUNT_SERIES] && size <= TIME_NUMBER_MAX / primes[i].prime)
                size *= primes[i].prime;
    return size;
}

struct steps common_steps_find(const int64_t counts[COMMON_STEPS_COUNTS], bool are_numbers)
{
    const int64_t all = counts[COUNT_SERIES];
    struct steps steps = {are_numbers ? STEP_NUMBER : STEP_MICROSECOND, 1, 0};

    if (all == 0) {
        steps.size = are_numbers ? 1 : DAY_MICROSECONDS;
        return steps;
    }
    if (!are_numbers && (counts[COUNT_MONTHS] == all || counts[COUNT_MONTH_ENDS] == all)) {
        steps.unit = counts[COUNT_MONTH_ENDS] == all ? STEP_MONTH_END : STEP_MONTH;
        steps.size = common_months(counts);
        return steps;
    }
    steps.size = common_size(counts);
    if (are_numbers)
        return steps;
    steps.size *= MILLISECOND;
    if (steps.size == DAY_MICROSECONDS && counts[COUNT_WEEKDAYS] == all &&
        counts[COUNT_OVER_WEEKEND] > 0) {
        steps.unit = STEP_WEEKDAY;
        steps.size = 1;
    }
    return steps;
}
