/*
 * dates.h - dates and times in cells, and what a model takes of them.
 *
 *     '2024-01-31 12:34:56.5+02'  --cell_to_date-->  day 19753, 10:34 UTC  --date_part_cell-->
 *         age -8796.4402..., month 'Jan', day '31', weekday 'Wed', hour '10'
 *
 * A date is text in ISO's form or, where the column's reading says so, in another one that people
 * write, or a number that its database has as a date or a time
 * (base/cell.h); a plain number is none, since nothing tells days from seconds. With a zone, and
 * as PostgreSQL's timestamptz, it is read in UTC, so that a moment has the same parts in each
 * database and session; without one as it stands. What lies below a microsecond is left out. The
 * calendar is the Gregorian one, for all years.
 *
 * The age is a number: days before 2000-01-01, so that the older is the greater and later days are
 * negative. It is of a fixed day since a model must read a new row as it read the old ones; which
 * day does not matter where inputs are standardised. The other parts are categories, whose words
 * are English or digits whatever the locale: what happens on Mondays is rarely between what
 * happens on Sundays and on Tuesdays. Integers, and one division: the bits are those of any
 * processor.
 */
#pragma once

#include "base/cell.h"
#include "base/error.h"
#include "params/terms.h"

struct date {
    int64_t day;         /* since 1970-01-01 */
    int64_t microsecond; /* time of the day; 0 for a date alone */
};

/* Has the calendar such a day, from year 1 on? Months and days count from 1. */
bool date_is_day(int64_t year, int64_t month, int64_t day);

/*
 *     date  = YYYY-MM-DD
 *     time  = HH:MM[:SS[.digits]]
 *     zone  = Z | UTC | (+|-)HH[[:]MM]
 *     text  = date | date (T | space) time [[space] zone]
 *
 * with white space around it; letters in any case, a second of 60 is the next minute's 0, zones
 * up to 15:59. False for anything else, 2024-02-30 included.
 */
bool date_read(struct slice text, struct date *date);

/*
 * Dates as people and other programs write them:
 *
 *     2024/3/31   2024.03.31   2024-3-31         the year first, then the month
 *     31.03.2024  31/3/2024    31-03-24          day, month, year, or
 *     03/31/2024  3-31-2024    3/31/24           month, day, year
 *     31. 3. 2024   2024. 3. 31.   2024年3月31日   with white space, or signs
 *     31-Mar-2024 31 March 24  2024-Mar-31       with the name of the month (date_names.h)
 *     March 31st, 2024         Sun, 31 Mar 2024  31 de marzo de 2024
 *     Sun Mar 31 10:15:30 2024                   the year behind the time
 *     20240331T101530                            ISO's form without separators
 *
 * and after it, or after a date of ISO's form, "," or white space, or both, or ":", and a time
 * h:mm, h:mm:ss or h:mm:ss.digits, with AM or PM, or Uhr, or without, and a zone as ISO's has it. A
 * year of two digits is one of 1969 to 2068, and stands last; 24/03/31 is the 24th of March. Days
 * and months have one or two digits.
 *
 * Names of months in other languages than English stand between the numbers, apart from them:
 * 12SET24 and SET 12 2010 are rather codes.
 *
 * In which order day and month stand, and whether short years may be first after all, the cells of
 * a column tell together (cell_counts.h). With points the day is first, unless it cannot be.
 */
enum date_order {
    ORDER_DAY_FIRST = 1,
    ORDER_MONTH_FIRST = 2,
    ORDER_EITHER = 4,     /* both, they differ, and there are no points that would tell */
    ORDER_SHORT = 8,      /* a year of two digits beside two numbers, without points, */
    ORDER_SHORT_LAST = 16 /* which read from the other end would be no date */
};
struct written_date {
    unsigned order;                     /* bits of enum date_order; at least one of the first two */
    struct date day_first, month_first; /* where it is so */
    bool has_time;                      /* one that is not midnight */
};
/* False for what is no such date; those of ISO's form are such. */
bool written_date_read(struct slice text, struct written_date *date);

/* Is it a word of such dates: a month, a weekday, "th", "pm", "UTC"? */
bool written_date_names(struct slice letters);

/* By a reading of dates; by another one a date has ISO's form. READING_DATE takes what is not
 * ORDER_EITHER, the other two that and their own order. */
bool date_text_read(struct slice text, enum input_reading reading, struct date *date);

/* In ISO's form: "2024-03-31", "2024-03-31 22:30:00", with digits behind a point where there are
 * any. Years are 1 to 9999. */
#define DATE_BYTES 32
void date_print(const struct date *date, char out[DATE_BYTES]);

/* Does for dates what cell_to_number does for numbers. *is_null also for NaN, blank text and the
 * spellings of a missing value (cell_text.h). INVALID, with column and value, for a cell that is no
 * date, plain numbers and infinite dates. */
enum status cell_to_date(const struct cell *cell, enum input_reading reading, struct slice column,
                         struct date *date, bool *is_null, struct error *err);

/* The part as the cell of an input: the age a real, another one a word, which is static.
 * Not DATE_WHOLE. */
struct cell date_part_cell(const struct date *date, enum date_part part);

/* The most words that the part can be; 0: it is a number. */
uint32_t date_part_words_max(enum date_part part);

/* A set of parts has the bit (1 << part) for each. */
#define DATE_PARTS_ALL (((uint32_t)1 << DATE_PARTS) - 2)
uint32_t date_parts_count(uint32_t parts);
