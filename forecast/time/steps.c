#include "forecast/time/steps.h"

#include <string.h>

#define HOUR_MICROSECONDS INT64_C(3600000000)
#define SEASON_LONGEST    20160 /* steps: a week of half minutes */

/* ----- the calendar ----- */

struct month_day {
    int64_t month; /* since year 0 */
    int64_t day;   /* from 1 */
    bool is_last;
};

static int64_t floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* The day since 1970 of the first of a month. Years begin in March: a leap day ends one. */
static int64_t month_start(int64_t month)
{
    const int64_t shifted = month - 2, year = floor_divide(shifted, 12),
                  of_year = shifted - 12 * year;
    const int64_t leaps = floor_divide(year, 4) - floor_divide(year, 100) + floor_divide(year, 400);

    return 365 * year + leaps + (153 * of_year + 2) / 5 - 719468;
}

static struct month_day month_day_of(int64_t day)
{
    struct month_day found;

    /* A guess by the mean month, at most one off. */
    found.month = floor_divide((day + 719528) * 4800, 146097);
    while (month_start(found.month) > day)
        found.month--;
    while (month_start(found.month + 1) <= day)
        found.month++;
    found.day = day - month_start(found.month) + 1;
    found.is_last = month_start(found.month + 1) == day + 1;
    return found;
}

/* 0 is Monday. 1970 began with a Thursday. */
static int weekday(int64_t day)
{
    return (int)(day + 3 - 7 * floor_divide(day + 3, 7));
}

static int64_t day_of(int64_t time)
{
    return floor_divide(time, DAY_MICROSECONDS);
}

/* Weekdays since Monday, the 29th of December 1969. */
static int64_t weekdays_until(int64_t day)
{
    return floor_divide(day + 3, 7) * 5 + weekday(day);
}

/* ----- finding ----- */

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

static void fit_months(const int64_t *times, uint32_t count, struct calendar_fit *fit)
{
    const struct month_day first = month_day_of(day_of(times[0]));
    const int64_t of_day = times[0] - day_of(times[0]) * DAY_MICROSECONDS;

    fit->are_same_days = first.day <= 28;
    fit->are_month_ends = true;
    for (uint32_t i = 0; i < count; i++) {
        const int64_t day = day_of(times[i]);
        const struct month_day found = month_day_of(day);

        fit->are_same_days = fit->are_same_days && found.day == first.day;
        fit->are_month_ends = fit->are_month_ends && found.is_last;
        if (times[i] - day * DAY_MICROSECONDS != of_day ||
            !(fit->are_same_days || fit->are_month_ends)) {
            fit->months = 0;
            return;
        }
        fit->months = common_divisor(fit->months, found.month - first.month);
    }
}

static void fit_weekdays(const int64_t *times, uint32_t count, struct calendar_fit *fit)
{
    for (uint32_t i = 0; i < count; i++) {
        if (weekday(day_of(times[i])) > 4) {
            fit->is_over_weekend = false;
            return;
        }
        fit->is_over_weekend =
            fit->is_over_weekend || (i > 0 && weekday(day_of(times[i])) == 0 &&
                                     times[i] - times[i - 1] == 3 * DAY_MICROSECONDS);
    }
    fit->are_weekdays = true;
}

struct calendar_fit calendar_fit_of(const int64_t *times, uint32_t count)
{
    struct calendar_fit fit = {.months = 0};

    fit_months(times, count, &fit);
    fit_weekdays(times, count, &fit);
    return fit;
}

struct steps steps_find(const int64_t *times, uint32_t count, bool are_numbers)
{
    const struct calendar_fit fit =
        are_numbers ? (struct calendar_fit){.months = 0} : calendar_fit_of(times, count);
    struct steps steps = {are_numbers ? STEP_NUMBER : STEP_MICROSECOND, 0, times[0]};

    if (count > 1 && fit.months > 0) {
        steps.unit = fit.are_month_ends ? STEP_MONTH_END : STEP_MONTH;
        steps.size = fit.months;
        return steps;
    }
    for (uint32_t i = 1; i < count; i++)
        steps.size = common_divisor(steps.size, times[i] - times[i - 1]);
    if (steps.size == 0)
        steps.size = are_numbers ? 1 : DAY_MICROSECONDS;
    if (!are_numbers && steps.size == DAY_MICROSECONDS && fit.are_weekdays && fit.is_over_weekend) {
        steps.unit = STEP_WEEKDAY;
        steps.size = 1;
    }
    return steps;
}

int64_t steps_index(const struct steps *steps, int64_t time)
{
    switch (steps->unit) {
    case STEP_MONTH:
    case STEP_MONTH_END:
        return (month_day_of(day_of(time)).month - month_day_of(day_of(steps->first)).month) /
               steps->size;
    case STEP_WEEKDAY:
        return weekdays_until(day_of(time)) - weekdays_until(day_of(steps->first));
    default:
        return (time - steps->first) / steps->size;
    }
}

bool steps_has(const struct steps *steps, int64_t index)
{
    const __int128 time = steps->first + (__int128)index * steps->size;

    if (steps->unit == STEP_NUMBER)
        return time >= -TIME_NUMBER_MAX && time <= TIME_NUMBER_MAX;
    if (steps->unit != STEP_MICROSECOND)
        return day_of(steps_time(steps, index)) <= TIME_DAY_MOST;
    return time < (__int128)(TIME_DAY_MOST + 1) * DAY_MICROSECONDS;
}

int64_t steps_time(const struct steps *steps, int64_t index)
{
    const int64_t first_day = day_of(steps->first);
    const int64_t of_day = steps->first - first_day * DAY_MICROSECONDS;
    int64_t day, month;

    switch (steps->unit) {
    case STEP_MONTH:
    case STEP_MONTH_END:
        month = month_day_of(first_day).month + index * steps->size;
        day = steps->unit == STEP_MONTH_END ? month_start(month + 1) - 1
                                            : month_start(month) + month_day_of(first_day).day - 1;
        return day * DAY_MICROSECONDS + of_day;
    case STEP_WEEKDAY:
        index += weekdays_until(first_day);
        day = floor_divide(index, 5) * 7 + (index - 5 * floor_divide(index, 5)) - 3;
        return day * DAY_MICROSECONDS + of_day;
    default:
        return steps->first + index * steps->size;
    }
}

void steps_calendar(const struct steps *steps, int64_t index, uint32_t parts[CALENDAR_PARTS])
{
    const bool is_short = steps->unit == STEP_MICROSECOND && steps->size < DAY_MICROSECONDS;
    const bool is_day = is_short || steps->unit == STEP_WEEKDAY ||
                        (steps->unit == STEP_MICROSECOND && steps->size == DAY_MICROSECONDS);
    struct month_day date;
    int64_t time, day;

    memset(parts, 0, CALENDAR_PARTS * sizeof *parts);
    if (steps->unit == STEP_NUMBER)
        return;
    time = steps_time(steps, index);
    day = day_of(time);
    date = month_day_of(day);
    parts[0] = (uint32_t)(1 + date.month - 12 * floor_divide(date.month, 12));
    if (is_day) {
        parts[1] = (uint32_t)date.day;
        parts[2] = (uint32_t)(1 + weekday(day));
    }
    if (is_short)
        parts[3] = (uint32_t)(1 + (time - day * DAY_MICROSECONDS) / HOUR_MICROSECONDS);
}

/* ----- seasons ----- */

/* Steps in so long a time, where they fill it and are two or more. */
static uint32_t steps_in(const struct steps *steps, int64_t time)
{
    const int64_t count = time / steps->size;

    return time % steps->size == 0 && count >= 2 && count <= SEASON_LONGEST ? (uint32_t)count : 0;
}

uint32_t steps_seasons(const struct steps *steps, uint32_t *lengths)
{
    uint32_t shorter = 0, longer = 0, count = 0;

    switch (steps->unit) {
    case STEP_MONTH:
    case STEP_MONTH_END:
        longer = steps_in(steps, 12);
        break;
    case STEP_WEEKDAY:
        longer = 5;
        break;
    case STEP_MICROSECOND:
        if (steps->size % DAY_MICROSECONDS == 0) {
            longer =
                steps->size == 7 * DAY_MICROSECONDS ? 52 : steps_in(steps, 7 * DAY_MICROSECONDS);
        } else {
            shorter = steps_in(steps, DAY_MICROSECONDS);
            longer = steps_in(steps, 7 * DAY_MICROSECONDS);
            if (!longer && !shorter)
                longer = steps_in(steps, HOUR_MICROSECONDS);
        }
        break;
    default:
        break;
    }
    if (shorter)
        lengths[count++] = shorter;
    if (longer)
        lengths[count++] = longer;
    return count;
}
