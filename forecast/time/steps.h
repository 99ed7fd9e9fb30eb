/*
 * steps.h - the even step between the times of a series, found from them.
 *
 *     numbers            the greatest number that divides all differences
 *     dates and times    months, where all are on the same day of their months and at the same time
 *                        of the day, or all are last days of months; else the greatest time that
 *                        divides all differences; weekdays, where that is a day, no time is on a
 *                        weekend and a Monday follows a Friday
 *
 * A time is a number, or microseconds since 1970 in the Gregorian calendar. A single time has a
 * step of 1, or of a day.
 */
#pragma once

#include "base/error.h"

enum step_unit { STEP_NUMBER, STEP_MICROSECOND, STEP_MONTH, STEP_MONTH_END, STEP_WEEKDAY };

struct steps {
    enum step_unit unit;
    int64_t size;  /* units of one step */
    int64_t first; /* the time of step 0 */
};

#define DAY_MICROSECONDS INT64_C(86400000000)

/* Days since 1970 of the years 1 to 9999, and numbers that a double has exactly. */
#define TIME_DAY_LEAST  INT64_C(-719162)
#define TIME_DAY_MOST   INT64_C(2932896)
#define TIME_NUMBER_MAX (INT64_C(1) << 53)

/* How times that ascend and differ fit the calendar. */
struct calendar_fit {
    int64_t months; /* months that divide all differences; 0: they are not months apart */
    bool are_same_days, are_month_ends; /* where they are: on one day of the month, on the last */
    bool are_weekdays;                  /* none is on a weekend */
    bool is_over_weekend;               /* a Monday follows its Friday */
};
struct calendar_fit calendar_fit_of(const int64_t *times, uint32_t count);

/* `times` (count, 1 at least) ascend and differ. */
struct steps steps_find(const int64_t *times, uint32_t count, bool are_numbers);

/* The step that a time is at, for one of the times or for what steps_time gave. */
int64_t steps_index(const struct steps *steps, int64_t time);
/* Is the time of a step below 2 * 10^6 within these limits? Then steps_time gives it. */
bool steps_has(const struct steps *steps, int64_t index);
int64_t steps_time(const struct steps *steps, int64_t index);

/* Places of a step in the calendar, from 1: its month, day of the month, weekday and hour; 0 where
 * the step is longer, and of numbers. */
#define CALENDAR_PARTS 4
void steps_calendar(const struct steps *steps, int64_t index, uint32_t parts[CALENDAR_PARTS]);

/* Lengths of seasons that such steps may have, ascending, into lengths (2); how many. Hours have
 * 24 and 168. Numbers have none. */
uint32_t steps_seasons(const struct steps *steps, uint32_t *lengths);
