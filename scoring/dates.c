#include "scoring/dates.h"

#include <assert.h>
#include <math.h>

#include "scoring/cell_text.h"
#include "scoring/transform.h"

#define MICROSECONDS     INT64_C(1000000) /* of a second */
#define DAY_MICROSECONDS (86400 * MICROSECONDS)
#define DAY_2000         10957
#define DAY_MAX          INT64_C(4000000000) /* farther than any database's */
#define SECOND_MAX       1e13
#define FRACTION_DIGITS  6
#define ZONE_MINUTES_MAX (16 * 60 - 1)

/* ----- the calendar: years begin in March here, so that a leap day is the last ----- */

/* The day of a date of the Gregorian calendar, months from 1. */
static int64_t day_of(int64_t year, int64_t month, int64_t day)
{
    const int64_t years = month > 2 ? year : year - 1; /* since March of the year 0 */
    const int64_t era = (years >= 0 ? years : years - 399) / 400;
    const int64_t year_of_era = years - era * 400;
    const int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;

    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
           719468;
}

/* Month, from 0, and day of the month, from 1. */
static void month_of(int64_t day, unsigned *month, unsigned *day_of_month)
{
    const int64_t days = day + 719468; /* since the 1st of March of the year 0 */
    const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    const int64_t of_era = days - era * 146097;
    const int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t march = (5 * of_year + 2) / 153; /* months since March */

    *day_of_month = (unsigned)(of_year - (153 * march + 2) / 5 + 1);
    *month = (unsigned)(march < 10 ? march + 2 : march - 10);
}

static bool is_day(int64_t year, int64_t month, int64_t day)
{
    static const int64_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return year >= 1 && month >= 1 && month <= 12 && day >= 1 &&
           day <= days[month - 1] + (month == 2 && is_leap);
}

/* ----- text ----- */

static bool take(struct slice *text, char c)
{
    if (text->size == 0 || *text->data != c)
        return false;
    text->data++;
    text->size--;
    return true;
}

/* Of so many digits. */
static bool take_number(struct slice *text, size_t digits, int64_t *number)
{
    *number = 0;
    if (text->size < digits)
        return false;
    for (size_t i = 0; i < digits; i++) {
        const char c = text->data[i];

        if (c < '0' || c > '9')
            return false;
        *number = *number * 10 + (c - '0');
    }
    text->data += digits;
    text->size -= digits;
    return true;
}

static bool take_day(struct slice *text, struct date *date)
{
    int64_t year, month, day;

    if (!take_number(text, 4, &year) || !take(text, '-') || !take_number(text, 2, &month) ||
        !take(text, '-') || !take_number(text, 2, &day) || !is_day(year, month, day))
        return false;
    *date = (struct date){.day = day_of(year, month, day)};
    return true;
}

static bool take_fraction(struct slice *text, int64_t *microseconds)
{
    size_t digits = 0;
    int64_t digit;

    for (*microseconds = 0; take_number(text, 1, &digit); digits++)
        if (digits < FRACTION_DIGITS)
            *microseconds = *microseconds * 10 + digit;
    for (size_t i = digits; i < FRACTION_DIGITS; i++)
        *microseconds *= 10;
    return digits > 0;
}

static bool take_time(struct slice *text, struct date *date)
{
    int64_t hour, minute, second = 0, fraction = 0;

    if (!take_number(text, 2, &hour) || !take(text, ':') || !take_number(text, 2, &minute))
        return false;
    if (take(text, ':') &&
        (!take_number(text, 2, &second) || (take(text, '.') && !take_fraction(text, &fraction))))
        return false;
    date->microsecond = ((hour * 60 + minute) * 60 + second) * MICROSECONDS + fraction;
    return hour < 24 && minute < 60 && second <= 60;
}

static bool take_zone(struct slice *text, int64_t *minutes)
{
    const bool is_west = text->size > 0 && *text->data == '-';
    int64_t hours, more = 0;

    *minutes = 0;
    if (text->size == 0 || slice_is_fold(*text, "Z") || slice_is_fold(*text, "UTC")) {
        text->size = 0;
        return true;
    }
    if ((!take(text, '+') && !take(text, '-')) || !take_number(text, 2, &hours))
        return false;
    if ((take(text, ':') || text->size > 0) && !take_number(text, 2, &more))
        return false;
    *minutes = hours * 60 + more;
    if (*minutes > ZONE_MINUTES_MAX || more > 59)
        return false;
    *minutes = is_west ? -*minutes : *minutes;
    return true;
}

/* A time of day may lie on another day. */
static void settle(struct date *date)
{
    while (date->microsecond < 0) {
        date->microsecond += DAY_MICROSECONDS;
        date->day--;
    }
    while (date->microsecond >= DAY_MICROSECONDS) {
        date->microsecond -= DAY_MICROSECONDS;
        date->day++;
    }
}

bool date_read(struct slice text, struct date *date)
{
    int64_t minutes;

    text = slice_trim(text);
    if (!take_day(&text, date))
        return false;
    if (text.size == 0)
        return true;
    if (!take(&text, 'T') && !take(&text, 't') && !take(&text, ' '))
        return false;
    if (!take_time(&text, date))
        return false;
    take(&text, ' ');
    if (!take_zone(&text, &minutes) || text.size > 0)
        return false;
    date->microsecond -= minutes * 60 * MICROSECONDS;
    settle(date);
    return true;
}

/* ----- cells ----- */

static bool read_number(const struct cell *cell, struct date *date)
{
    double seconds, days;

    if (cell->time == CELL_DAYS && cell->type == CELL_INTEGER) {
        *date = (struct date){.day = cell->integer};
        return cell->integer > -DAY_MAX && cell->integer < DAY_MAX;
    }
    seconds = cell->real;
    if (cell->time != CELL_SECONDS || cell->type != CELL_REAL || !(fabs(seconds) < SECOND_MAX))
        return false;
    days = floor(seconds / 86400);
    *date = (struct date){.day = (int64_t)days,
                          .microsecond = llround((seconds - days * 86400) * (double)MICROSECONDS)};
    settle(date);
    return true;
}

static bool is_missing(struct slice text)
{
    const enum text_kind kind = text_look_at(text).kind;

    return kind == TEXT_BLANK || kind == TEXT_MISSING;
}

enum status cell_to_date(const struct cell *cell, struct slice column, struct date *date,
                         bool *is_null, struct error *err)
{
    *date = (struct date){.day = 0};
    *is_null = cell->type == CELL_NULL || (cell->type == CELL_REAL && isnan(cell->real));
    if (*is_null)
        return STATUS_OK;
    if (cell->type == CELL_TEXT ? date_read(cell->text, date) : read_number(cell, date))
        return STATUS_OK;
    *is_null = cell->type == CELL_TEXT && is_missing(cell->text);
    if (*is_null)
        return STATUS_OK;
    return cell_refuse(cell, column, "a date", err);
}

/* ----- parts ----- */

static const char *const month_names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
static const char *const weekdays[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
static const char numbers[] = "0001020304050607080910111213141516171819202122232425262728293031";

static struct slice number_word(unsigned number)
{
    return (struct slice){numbers + 2 * (size_t)number, 2};
}

static unsigned weekday_of(int64_t day)
{
    return (unsigned)(((day + 3) % 7 + 7) % 7); /* 1970-01-01 was a Thursday */
}

struct cell date_part_cell(const struct date *date, enum date_part part)
{
    struct cell cell = {.type = CELL_TEXT};
    unsigned month, day;

    month_of(date->day, &month, &day);
    switch (part) {
    case DATE_AGE:
        cell.type = CELL_REAL;
        cell.real =
            (double)(DAY_2000 - date->day) - (double)date->microsecond / (double)DAY_MICROSECONDS;
        break;
    case DATE_MONTH:
        cell.text = slice_of(month_names[month]);
        break;
    case DATE_DAY:
        cell.text = number_word(day);
        break;
    case DATE_WEEKDAY:
        cell.text = slice_of(weekdays[weekday_of(date->day)]);
        break;
    case DATE_HOUR:
        cell.text = number_word((unsigned)(date->microsecond / (3600 * MICROSECONDS)));
        break;
    case DATE_WHOLE:
    case DATE_PARTS:
        assert(!"a part of a date");
    }
    return cell;
}

uint32_t date_part_words_max(enum date_part part)
{
    static const uint32_t words[DATE_PARTS] = {
        [DATE_MONTH] = 12, [DATE_DAY] = 31, [DATE_WEEKDAY] = 7, [DATE_HOUR] = 24};

    return words[part];
}

uint32_t date_parts_count(uint32_t parts)
{
    return (uint32_t)__builtin_popcount(parts);
}
