#include "inputs/cells/dates.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "inputs/cells/cell_text.h"
#include "inputs/cells/cells.h"
#include "inputs/cells/date_names.h"
#include "inputs/cells/digits.h"

#define MICROSECONDS      INT64_C(1000000) /* microseconds in a second */
#define DAY_MICROSECONDS  (86400 * MICROSECONDS)
#define DAY_2000          10957
#define DAY_MAX           INT64_C(4000000000) /* farther than any database's */
#define SECOND_MAX        1e13
#define FRACTION_DIGITS   6
#define ZONE_MINUTES_MAX  (16 * 60 - 1)
#define WRITTEN_BYTES_MAX 64

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

/* The year, the month, from 0, and the day of the month, from 1. */
static int64_t year_and_month_of(int64_t day, unsigned *month, unsigned *day_of_month)
{
    const int64_t days = day + 719468; /* since the 1st of March of the year 0 */
    const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    const int64_t of_era = days - era * 146097;
    const int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t march = (5 * of_year + 2) / 153; /* months since March */

    *day_of_month = (unsigned)(of_year - (153 * march + 2) / 5 + 1);
    *month = (unsigned)(march < 10 ? march + 2 : march - 10);
    return era * 400 + year_of_era + (*month < 2);
}

bool date_is_day(int64_t year, int64_t month, int64_t day)
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

/* Takes a number of so many digits. */
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
        !take(text, '-') || !take_number(text, 2, &day) || !date_is_day(year, month, day))
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

/* ----- as people write them ----- */

/* Three of these are a date: numbers of some digits, or the name of a month. */
struct field {
    int64_t number;
    size_t digits; /* 0: a month's name, and the number is the month */
    bool is_english;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void drop(struct slice *text, size_t size)
{
    text->data += size;
    text->size -= size;
}

bool written_date_names(struct slice letters)
{
    static const char *const others[] = {"st", "nd",  "rd",  "th", "er",  "am",
                                         "pm", "utc", "gmt", "de", "del", "uhr"};
    bool is_short;

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (slice_is_fold(letters, others[i]))
            return true;
    return date_name_month(letters, &is_short) > 0 || date_name_is_weekday(letters);
}

/* "Sun, " and "Sunday " before the date. */
static void drop_weekday(struct slice *text)
{
    const size_t size = date_name_size(*text);

    if (!date_name_is_weekday((struct slice){text->data, size}))
        return;
    drop(text, size);
    take(text, '.');
    take(text, ',');
    *text = slice_trim(*text);
}

/* "1st" to "31st", "1er": a day of the month. */
static void drop_ordinal(struct slice *text)
{
    static const char *const endings[] = {"st", "nd", "rd", "th", "er"};
    const size_t size = date_name_size(*text);

    for (size_t i = 0; size == 2 && i < sizeof endings / sizeof *endings; i++)
        if (slice_is_fold((struct slice){text->data, size}, endings[i])) {
            drop(text, size);
            return;
        }
}

/* "3 de marzo de 2024", "3 de marzo del 2024". */
static void drop_article(struct slice *text)
{
    const size_t size = date_name_size(*text);
    const struct slice word = {text->data, size};

    if (size == text->size || text->data[size] != ' ' ||
        !(slice_is_fold(word, "de") || slice_is_fold(word, "del")))
        return;
    drop(text, size);
    *text = slice_trim(*text);
}

static bool take_field(struct slice *text, struct field *field)
{
    size_t letters;
    bool is_short;

    *field = (struct field){.number = 0};
    letters = date_name_size(*text);
    if (letters > 0) {
        field->is_english = date_name_is_english((struct slice){text->data, letters});
        field->number = date_name_month((struct slice){text->data, letters}, &is_short);
        drop(text, letters);
        if (is_short)
            take(text, '.');
        return field->number > 0;
    }
    while (field->digits < 4 && field->digits < text->size && is_digit(text->data[field->digits]))
        field->number = field->number * 10 + (text->data[field->digits++] - '0');
    drop(text, field->digits);
    if (field->digits == 1 || field->digits == 2)
        drop_ordinal(text);
    return field->digits > 0;
}

/* "2024年3月5日", "2024년 3월 5일": is it the sign behind the field, 0 the year? */
static bool take_sign(struct slice *text, int field)
{
    static const char *const signs[3][2] = {{"年", "년"}, {"月", "월"}, {"日", "일"}};

    for (int i = 0; i < 2; i++) {
        const size_t size = strlen(signs[field][i]);

        if (slice_is(slice_prefix(*text, size), signs[field][i])) {
            drop(text, size);
            return true;
        }
    }
    return false;
}

/* '/', '-' or '.', with white space behind it or not, '/' for a sign; ' ' for white space or a
 * comma and white space. 0: nothing. */
static char take_between(struct slice *text, int field)
{
    const struct slice before = *text;
    char c = 0;

    if (take_sign(text, field)) {
        *text = slice_trim(*text);
        return '/';
    }
    if (text->size == 0)
        return 0;
    c = *text->data;
    if (c == '/' || c == '-' || c == '.' || c == ',')
        drop(text, 1);
    if (text->size > 0 && *text->data == ' ') {
        *text = slice_trim(*text);
        return c == ',' ? ' ' : c == '.' || c == ' ' ? c : 0;
    }
    if (c == '/' || c == '-' || c == '.')
        return c;
    *text = before;
    return 0;
}

static int64_t year_of(const struct field *field)
{
    if (field->digits == 4)
        return field->number;
    return field->number + (field->number < 69 ? 2000 : 1900);
}

static bool make_day(const struct field *year, const struct field *month, const struct field *day,
                     struct date *date)
{
    if (day->digits == 0 || day->digits > 2 || month->digits > 2 ||
        (year->digits != 2 && (year->digits != 4 || year->number < 1000)) ||
        !date_is_day(year_of(year), month->number, day->number))
        return false;
    *date = (struct date){.day = day_of(year_of(year), month->number, day->number)};
    return true;
}

/* Reads a date of numbers alone, the year last. 1.2.10 is rather a version. */
static void read_numbers(const struct field *fields, char between, struct written_date *date)
{
    struct date other;

    if (between == ' ' || (fields[2].digits == 2 && between == '.' &&
                           (fields[0].digits != 2 || fields[1].digits != 2)))
        return;
    if (make_day(&fields[2], &fields[1], &fields[0], &date->day_first))
        date->order |= ORDER_DAY_FIRST;
    if (make_day(&fields[2], &fields[0], &fields[1], &date->month_first))
        date->order |= ORDER_MONTH_FIRST;
    if (date->order == (ORDER_DAY_FIRST | ORDER_MONTH_FIRST) && between != '.' &&
        date->day_first.day != date->month_first.day)
        date->order |= ORDER_EITHER;
    if (date->order == 0 || fields[2].digits != 2 || between == '.')
        return;
    date->order |= ORDER_SHORT;
    if (fields[0].digits != 2 || !make_day(&fields[0], &fields[1], &fields[2], &other))
        date->order |= ORDER_SHORT_LAST;
}

/* Reads a date of one order alone, as if it were of both. */
static void read_one(const struct field *year, const struct field *month, const struct field *day,
                     struct written_date *date)
{
    if (!make_day(year, month, day, &date->day_first))
        return;
    date->month_first = date->day_first;
    date->order = ORDER_DAY_FIRST | ORDER_MONTH_FIRST;
}

/* Names of other languages stand between the numbers, apart from them: 12SET24 is a code. */
static bool stands_well(const struct field *fields, const char *between)
{
    return fields[0].digits == 0 ? fields[0].is_english
                                 : fields[1].is_english || (between[0] && between[1]);
}

static bool take_written_day(struct slice *text, struct written_date *date)
{
    struct field fields[3];
    char between[2] = {0, 0};

    drop_weekday(text);
    for (int i = 0; i < 3; i++) {
        if (i > 0 && between[i - 1] == ' ')
            drop_article(text);
        if (!take_field(text, &fields[i]))
            return false;
        if (i < 2)
            between[i] = take_between(text, i);
    }
    if (!take_sign(text, 2) && between[0] == '.' && fields[0].digits == 4)
        take(text, '.');
    if (fields[0].digits == 0 || fields[1].digits == 0) {
        if (fields[2].digits == 0 || (fields[0].digits == 0 && fields[1].digits == 0) ||
            !stands_well(fields, between))
            return false;
        if (fields[0].digits == 4)
            read_one(&fields[0], &fields[1], &fields[2], date);
        else if (fields[1].digits == 0)
            read_one(&fields[2], &fields[1], &fields[0], date);
        else if (between[0] && between[1])
            read_one(&fields[2], &fields[0], &fields[1], date);
    } else if (fields[2].digits > 0 && between[0] && between[0] == between[1]) {
        if (fields[0].digits == 4 && between[0] != ' ' && fields[2].digits <= 2)
            read_one(&fields[0], &fields[1], &fields[2], date);
        else
            read_numbers(fields, between[0], date);
    }
    return (date->order & (ORDER_DAY_FIRST | ORDER_MONTH_FIRST)) != 0;
}

/* -1: there is none. */
static int take_half(struct slice *text)
{
    static const struct {
        const char *word;
        int half;
    } halves[] = {{"am", 0}, {"pm", 1}, {"a.m.", 0}, {"p.m.", 1}};

    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
        const size_t size = strlen(halves[i].word);

        if (slice_is_fold(slice_prefix(*text, size), halves[i].word)) {
            drop(text, size);
            return halves[i].half;
        }
    }
    return -1;
}

/* "9:05", "10:30:15 PM": an hour of one digit is as one with a zero before it. */
static bool take_written_time(struct slice *text, struct date *date)
{
    const bool is_short = text->size > 1 && is_digit(text->data[0]) && text->data[1] == ':';
    char padded[WRITTEN_BYTES_MAX + 1] = "0";
    struct slice copy = {padded, text->size + is_short};
    int64_t hour;
    int half;

    memcpy(padded + is_short, text->data, text->size);
    if (copy.size > 9 && padded[8] == ',' && is_digit(padded[9]))
        padded[8] = '.'; /* "10:15:30,250" */
    if (!take_time(&copy, date))
        return false;
    drop(text, text->size - copy.size);
    *text = slice_trim(*text);
    half = take_half(text);
    if (half < 0) {
        if (slice_is_fold(slice_prefix(*text, 3), "Uhr"))
            drop(text, 3);
        return true;
    }
    hour = date->microsecond / (3600 * MICROSECONDS);
    date->microsecond += (hour == 12 ? half - 1 : half) * INT64_C(43200) * MICROSECONDS;
    return hour >= 1 && hour <= 12;
}

/* Takes the time and the zone behind the day; true where nothing follows it. */
static bool take_written_rest(struct slice text, struct date *time)
{
    int64_t minutes;

    *time = (struct date){.day = 0};
    if (text.size == 0)
        return true;
    take(&text, ',');
    if (text.size > 0 && (*text.data == 'T' || *text.data == 't' || *text.data == ':'))
        drop(&text, 1);
    else if (text.size == 0 || *text.data != ' ')
        return false;
    text = slice_trim(text);
    if (!take_written_time(&text, time))
        return false;
    text = slice_trim(text);
    if (slice_is_fold(text, "GMT"))
        text.size = 0;
    if (!take_zone(&text, &minutes) || text.size > 0)
        return false;
    time->microsecond -= minutes * 60 * MICROSECONDS;
    settle(time);
    return true;
}

static void add_time(struct date *date, const struct date *time)
{
    date->day += time->day;
    date->microsecond = time->microsecond;
}

/* "Sun Mar 31 10:15:30 2024", "Sun Mar 31 10:15:30 +0000 2024", as C and old protocols write it:
 * the year goes before the time. out: room for WRITTEN_BYTES_MAX bytes. */
static struct slice move_year(struct slice text, char *out)
{
    const size_t end = text.size - (text.size < 5 ? text.size : 5);
    const char *colon = memchr(text.data, ':', text.size);
    size_t at = colon ? (size_t)(colon - text.data) : 0;

    while (at > 0 && is_digit(text.data[at - 1]))
        at--;
    if (at == 0 || at >= end || text.data[at - 1] != ' ' || text.data[end] != ' ' ||
        !is_digit(text.data[end + 1]) || date_name_size(text) == 0)
        return text;
    memcpy(out, text.data, at);
    memcpy(out + at, text.data + end + 1, 4);
    out[at + 4] = ' ';
    memcpy(out + at + 5, text.data + at, end - at);
    return (struct slice){out, text.size};
}

/* "20240331T101530", ISO's form without separators. */
static bool read_basic(struct slice text, struct date *date)
{
    char full[WRITTEN_BYTES_MAX + 4]; /* four separators */
    size_t digits = 0, size = 0;

    while (digits < 7 && 9 + digits < text.size && is_digit(text.data[9 + digits]))
        digits++;
    if (text.size > WRITTEN_BYTES_MAX || text.size < 13 || (digits != 4 && digits != 6) ||
        (text.data[8] != 'T' && text.data[8] != 't'))
        return false;
    for (size_t i = 0; i < text.size; i++) {
        if (i == 4 || i == 6)
            full[size++] = '-';
        if (i == 11 || (i == 13 && digits == 6))
            full[size++] = ':';
        full[size++] = text.data[i];
    }
    return date_read((struct slice){full, size}, date);
}

/* A date with its time, in one form or another. */
static bool take_written(struct slice text, struct written_date *date, struct date *time)
{
    char moved[WRITTEN_BYTES_MAX];

    *time = (struct date){.day = 0};
    if (read_basic(text, &date->day_first)) {
        time->microsecond = date->day_first.microsecond;
        date->month_first = date->day_first;
        date->order = ORDER_DAY_FIRST | ORDER_MONTH_FIRST;
        return true;
    }
    text = move_year(text, moved);
    return take_written_day(&text, date) && take_written_rest(text, time);
}

bool written_date_read(struct slice text, struct written_date *date)
{
    char plain[DIGITS_BYTES_MAX];
    struct date time;

    *date = (struct written_date){.order = 0};
    text = slice_trim(text);
    digits_to_ascii(text, plain, &text);
    if (text.size > WRITTEN_BYTES_MAX || !take_written(text, date, &time))
        return false;
    add_time(&date->day_first, &time);
    add_time(&date->month_first, &time);
    date->has_time = time.microsecond != 0;
    return true;
}

bool date_text_read(struct slice text, enum input_reading reading, struct date *date)
{
    const unsigned own = reading == READING_MONTH_FIRST ? ORDER_MONTH_FIRST : ORDER_DAY_FIRST;
    struct written_date written;

    if (date_read(text, date))
        return true;
    if (!reading_is_of_dates(reading) || !written_date_read(text, &written) ||
        (reading == READING_DATE ? written.order & (ORDER_EITHER | ORDER_SHORT)
                                 : !(written.order & own)))
        return false;
    *date = written.order & own ? own == ORDER_DAY_FIRST ? written.day_first : written.month_first
                                : written.month_first;
    return true;
}

void date_print(const struct date *date, char out[DATE_BYTES])
{
    const int second = (int)(date->microsecond / MICROSECONDS);
    const int fraction = (int)(date->microsecond % MICROSECONDS);
    unsigned month, day;
    const int year = (int)year_and_month_of(date->day, &month, &day);
    int size = snprintf(out, DATE_BYTES, "%04d-%02u-%02u", year % 10000, month + 1, day);

    if (date->microsecond)
        size += snprintf(out + size, DATE_BYTES - (size_t)size, " %02d:%02d:%02d", second / 3600,
                         second / 60 % 60, second % 60);
    if (fraction)
        snprintf(out + size, DATE_BYTES - (size_t)size, ".%06d", fraction);
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

enum status cell_to_date(const struct cell *cell, enum input_reading reading, struct slice column,
                         struct date *date, bool *is_null, struct error *err)
{
    *date = (struct date){.day = 0};
    *is_null = cell->type == CELL_NULL || (cell->type == CELL_REAL && isnan(cell->real));
    if (*is_null)
        return STATUS_OK;
    if (cell->type == CELL_TEXT ? date_text_read(cell->text, reading, date)
                                : read_number(cell, date))
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

    year_and_month_of(date->day, &month, &day);
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
