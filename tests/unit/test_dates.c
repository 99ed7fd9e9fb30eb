#include "tests/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "inputs/cells/date_names.h"
#include "inputs/cells/dates.h"

static struct date read(const char *text)
{
    struct date date;

    if (!date_read(slice_of(text), &date))
        check_failed("'%s' is a date", text);
    return date;
}

static struct cell part(const char *text, enum date_part which)
{
    const struct date date = read(text);

    return date_part_cell(&date, which);
}

static void check_word(const char *text, enum date_part which, const char *word)
{
    const struct cell cell = part(text, which);

    CHECK_INT(cell.type, CELL_TEXT);
    CHECK_SLICE(cell.text, word);
}

static void every_form_of_one_moment_is_that_moment(void **state)
{
    static const char *const forms[] = {
        "2024-01-31 12:34:56",           "2024-01-31T12:34:56",
        "2024-01-31t12:34:56z",          "2024-01-31 12:34:56Z",
        "2024-01-31 12:34:56 UTC",       "2024-01-31 14:34:56+02",
        "2024-01-31 14:34:56+0200",      "2024-01-31 14:34:56+02:00",
        "2024-01-31T14:34:56.000+02:00", "2024-01-31 07:04:56-05:30",
        "2024-02-01 04:19:56 +15:45",    "  2024-01-31 12:34:56.0\n",
        "2024-01-30 20:49:56-15:45",     "2024-01-31 12:34:56.000000999"};
    (void)state;

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const struct date date = read(forms[i]);

        CHECK_INT(date.day, 19753);
        CHECK_INT(date.microsecond, (12 * 3600 + 34 * 60 + 56) * INT64_C(1000000));
    }
    CHECK_INT(read("2024-01-31").microsecond, 0);
    CHECK_INT(read("2024-01-31 00:00").day, 19753);
    CHECK_INT(read("2024-01-31 00:00:00.5").microsecond, 500000);
    CHECK_INT(read("2024-01-31 23:59:60").day, 19754);
    CHECK_INT(read("0001-01-01").day, -719162);
    CHECK_INT(read("9999-12-31").day, 2932896);
}

static void what_is_no_date_is_refused(void **state)
{
    static const char *const texts[] = {"",
                                        " ",
                                        "2024",
                                        "2024-01",
                                        "2024-1-31",
                                        "24-01-31",
                                        "02024-01-31",
                                        "2024-01-310",
                                        "2024-13-01",
                                        "2024-00-01",
                                        "2024-01-00",
                                        "2024-01-32",
                                        "2024-02-30",
                                        "2023-02-29",
                                        "1900-02-29",
                                        "0000-01-01",
                                        "-2024-01-01",
                                        "2024/01/31",
                                        "20240131",
                                        "31.01.2024",
                                        "2024-01-31x",
                                        "2024-01-31T",
                                        "2024-01-31 12",
                                        "2024-01-31 12:",
                                        "2024-01-31 1:00",
                                        "2024-01-31 24:00",
                                        "2024-01-31 12:60",
                                        "2024-01-31 12:34:61",
                                        "2024-01-31 12:34:5",
                                        "2024-01-31 12:34:56.",
                                        "2024-01-31 12:34.5",
                                        "2024-01-31 12:34:56,5",
                                        "2024-01-31  12:34",
                                        "2024-01-31 12:34  Z",
                                        "2024-01-31 12:34ZZ",
                                        "2024-01-31 12:34+",
                                        "2024-01-31 12:34+2",
                                        "2024-01-31 12:34+02:",
                                        "2024-01-31 12:34+02:6",
                                        "2024-01-31 12:34+02:60",
                                        "2024-01-31 12:34+16",
                                        "2024-01-31 12:34 Europe/Berlin",
                                        "2024-01-31+02",
                                        "now",
                                        "\xd9\xa2\xd9\xa0\xd9\xa2\xd9\xa4-01-31"};
    (void)state;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct date date;

        if (date_read(slice_of(texts[i]), &date))
            check_failed("'%s' is no date", texts[i]);
    }
}

#define DAY    ORDER_DAY_FIRST
#define MONTH  ORDER_MONTH_FIRST
#define BOTH   (ORDER_DAY_FIRST | ORDER_MONTH_FIRST)
#define EITHER (BOTH | ORDER_EITHER)
#define SHORT  ORDER_SHORT
#define LAST   (ORDER_SHORT | ORDER_SHORT_LAST)

static void dates_are_read_as_people_write_them(void **state)
{
    static const struct {
        const char *text;
        unsigned order;
        const char *day_first, *month_first;
    } cases[] = {
        {"2024/03/31", BOTH, "2024-03-31", "2024-03-31"},
        {"2024.3.5", BOTH, "2024-03-05", "2024-03-05"},
        {"2024-3-5", BOTH, "2024-03-05", "2024-03-05"},
        {"2024-03-31 9:05 PM", BOTH, "2024-03-31 21:05", "2024-03-31 21:05"},
        {"31.03.2024", DAY, "2024-03-31", NULL},
        {"03.31.2024", MONTH, NULL, "2024-03-31"},
        {"3.4.2024", BOTH, "2024-04-03", "2024-03-04"},
        {"31.03.24", DAY, "2024-03-31", NULL},
        {"31/03/2024", DAY, "2024-03-31", NULL},
        {"3/31/2024", MONTH, NULL, "2024-03-31"},
        {"03/04/2024", EITHER, "2024-04-03", "2024-03-04"},
        {"04/04/2024", BOTH, "2024-04-04", "2024-04-04"},
        {"31-03-2024", DAY, "2024-03-31", NULL},
        {"3/31/24", MONTH | LAST, NULL, "2024-03-31"},
        {"31/12/99", DAY | LAST, "1999-12-31", NULL},
        {"24/03/31", DAY | SHORT, "2031-03-24", NULL},
        {"10/11/12", EITHER | SHORT, "2012-11-10", "2012-10-11"},
        {"31-Mar-2024", BOTH, "2024-03-31", "2024-03-31"},
        {"31 march 2024", BOTH, "2024-03-31", "2024-03-31"},
        {"31MAR2024", BOTH, "2024-03-31", "2024-03-31"},
        {"31. March 2024", BOTH, "2024-03-31", "2024-03-31"},
        {"31/Mar/2024", BOTH, "2024-03-31", "2024-03-31"},
        {"31-Mar-24", BOTH, "2024-03-31", "2024-03-31"},
        {"5-Sep-68", BOTH, "2068-09-05", "2068-09-05"},
        {"5-Sep-69", BOTH, "1969-09-05", "1969-09-05"},
        {"January 5, 2024", BOTH, "2024-01-05", "2024-01-05"},
        {"Jan. 5th, 2024", BOTH, "2024-01-05", "2024-01-05"},
        {"Sept 1 2024", BOTH, "2024-09-01", "2024-09-01"},
        {"3rd June, 2024", BOTH, "2024-06-03", "2024-06-03"},
        {"2024-Mar-31", BOTH, "2024-03-31", "2024-03-31"},
        {"Sun, 31 Mar 2024 10:30:15 +0200", BOTH, "2024-03-31 08:30:15", "2024-03-31 08:30:15"},
        {"Sunday, March 31, 2024", BOTH, "2024-03-31", "2024-03-31"},
        {"31/03/2024 10:30", DAY, "2024-03-31 10:30", NULL},
        {"31/03/2024, 10:30:15.5", DAY, "2024-03-31 10:30:15.5", NULL},
        {"3/31/2024 12:00 AM", MONTH, NULL, "2024-03-31 00:00"},
        {"3/31/2024 12:30 pm", MONTH, NULL, "2024-03-31 12:30"},
        {"3/31/2024 1:30PM", MONTH, NULL, "2024-03-31 13:30"},
        {"3/31/2024 11:59:59 p.m.", MONTH, NULL, "2024-03-31 23:59:59"},
        {"31/03/2024T23:30:00-01:00", DAY, "2024-04-01 00:30", NULL},
        {"31/Mar/2024:10:30:00 +0000", BOTH, "2024-03-31 10:30", "2024-03-31 10:30"},
        {"31 Mar 2024 10:30 GMT", BOTH, "2024-03-31 10:30", "2024-03-31 10:30"},
        {"2024-03-31 10:30", BOTH, "2024-03-31 10:30", "2024-03-31 10:30"},
        {"\u0663\u0661/\u0660\u0663/\u0662\u0660\u0662\u0664", DAY, "2024-03-31", NULL},
        {"\uff12\uff10\uff12\uff14\uff0f\uff13\uff0f\uff13\uff11 \uff11\uff10\uff1a\uff13\uff10",
         BOTH, "2024-03-31 10:30", "2024-03-31 10:30"},
        {"\u200e3/31/2024", MONTH, NULL, "2024-03-31"},
        {"3. M\u00e4rz 2024", BOTH, "2024-03-03", "2024-03-03"},
        {"31DEC2024", BOTH, "2024-12-31", "2024-12-31"},
        {"2024-Dez-31", BOTH, "2024-12-31", "2024-12-31"},
        {"3 de marzo del 2024", BOTH, "2024-03-03", "2024-03-03"},
        {"31-Dez-2024", BOTH, "2024-12-31", "2024-12-31"},
        {"31 DEZ. 2024", BOTH, "2024-12-31", "2024-12-31"},
        {"1er ao\u00fbt 2024", BOTH, "2024-08-01", "2024-08-01"},
        {"14 F\u00c9VR. 2024", BOTH, "2024-02-14", "2024-02-14"},
        {"lundi 3 juin 2024", BOTH, "2024-06-03", "2024-06-03"},
        {"3 de marzo de 2024", BOTH, "2024-03-03", "2024-03-03"},
        {"s\u00e1bado, 3 de agosto de 2024", BOTH, "2024-08-03", "2024-08-03"},
        {"1 giugno 2024", BOTH, "2024-06-01", "2024-06-01"},
        {"1 out. 2024", BOTH, "2024-10-01", "2024-10-01"},
        {"2 mei 2024", BOTH, "2024-05-02", "2024-05-02"},
        {"2 maj 2024", BOTH, "2024-05-02", "2024-05-02"},
        {"2 \u0434\u0435\u043a\u0430\u0431\u0440\u044f 2024", BOTH, "2024-12-02", "2024-12-02"},
        {"2 \u041c\u0410\u042f 2024", BOTH, "2024-05-02", "2024-05-02"},
        {"2 A\u011fu 2024", BOTH, "2024-08-02", "2024-08-02"},
        {"31. 3. 2024", DAY, "2024-03-31", NULL},
        {"2024. 3. 5.", BOTH, "2024-03-05", "2024-03-05"},
        {"2024.03.05.", BOTH, "2024-03-05", "2024-03-05"},
        {"2024\u5e743\u670831\u65e5", BOTH, "2024-03-31", "2024-03-31"},
        {"2024\ub144 3\uc6d4 31\uc77c 10:30", BOTH, "2024-03-31 10:30", "2024-03-31 10:30"},
        {"31.03.2024, 10:30 Uhr", DAY, "2024-03-31 10:30", NULL},
        {"2024-03-31 10:30:15,5", BOTH, "2024-03-31 10:30:15.5", "2024-03-31 10:30:15.5"},
        {"20240331T103015", BOTH, "2024-03-31 10:30:15", "2024-03-31 10:30:15"},
        {"20240331T1030Z", BOTH, "2024-03-31 10:30", "2024-03-31 10:30"},
        {"Sun Mar  3 10:30:15 2024", BOTH, "2024-03-03 10:30:15", "2024-03-03 10:30:15"},
        {"Sun Mar 31 10:30:15 +0200 2024", BOTH, "2024-03-31 08:30:15", "2024-03-31 08:30:15"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct slice text = slice_of(cases[i].text);
        struct written_date date;
        struct date of[2], by;

        if (!written_date_read(text, &date))
            check_failed("'%s' is a date", cases[i].text);
        if (date.order != cases[i].order)
            check_failed("'%s' has the order %u, not %u", cases[i].text, date.order,
                         cases[i].order);
        for (int m = 0; m < 2; m++) {
            const char *wanted = m ? cases[i].month_first : cases[i].day_first;
            const enum input_reading reading = m ? READING_MONTH_FIRST : READING_DAY_FIRST;

            of[m] = m ? date.month_first : date.day_first;
            CHECK(date_text_read(text, reading, &by) == (wanted != NULL));
            if (wanted && (read(wanted).day != of[m].day ||
                           read(wanted).microsecond != of[m].microsecond || by.day != of[m].day))
                check_failed("'%s' is %s", cases[i].text, wanted);
        }
        CHECK(date_text_read(text, READING_DATE, &by) ==
              !(date.order & (ORDER_EITHER | ORDER_SHORT)));
    }
}

static void what_nobody_writes_as_a_date_is_none(void **state)
{
    static const char *const texts[] = {
        "",
        "1",
        "2 listopada 2024", /* November in Polish, October in Croatian */
        "2 M\u00e4rchen 2024",
        "Sun Mar 31 2024 10:30:15 2024",
        "20240331T25",
        "20240331T10301",
        "3 de 2024",
        "DE 3/4/2024", /* a country's code */
        "de 3 de marzo de 2024",
        "3-de 4-2024",
        "12SET24", /* codes */
        "5LUG16",
        "1999OUT12",
        "SET 12 2010",
        "Mars 2 1971",
        "1.2.10",
        "1.2.3",
        "10.0.0.1",
        "1/2",
        "32/01/2024",
        "31/13/2024",
        "30.02.2024",
        "13/13/2024",
        "1/1/224",
        "1/1/20244",
        "31/03-2024",
        "31/03 2024",
        "31 03 2024",
        "2024/31/03",
        "0999/01/01",
        "Mar 2024",
        "31 Mar",
        "Mar Mar 2024",
        "31 Foo 2024",
        "32 Mar 2024",
        "2024",
        "31/03/2024x",
        "31/03/2024 25:00",
        "3/31/2024 13:00 PM",
        "3/31/2024 0:30 AM",
        "31/03/2024 10",
        "31/03/2024 10:30 XM",
        "555-12-1234",
        "12:30",
        "Monday",
        "zip 12 345 678",
        "31/03/2024 10:30 PM and so on for more bytes than any date could ever have",
    };
    (void)state;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct written_date date;

        if (written_date_read(slice_of(texts[i]), &date))
            check_failed("'%s' is no date", texts[i]);
    }
}

/* A slow calendar, day by day, against the formulas. */
/* Formulas print the list, and the reader reads by its names. */
static void every_name_is_listed_once_and_means_what_the_list_says(void **state)
{
    struct date_name name, other;
    size_t count = 0, months = 0;

    (void)state;
    for (; date_name_at(count, &name); count++) {
        bool is_short;

        months += name.month > 0;
        CHECK_INT(date_name_month(name.text, &is_short), name.month);
        CHECK_INT(is_short, name.is_short);
        CHECK_INT(date_name_is_weekday(name.text), name.month == 0);
        CHECK_INT(date_name_size(name.text), name.text.size);
        for (size_t i = 0; i < count && date_name_at(i, &other); i++)
            CHECK(!slice_equal(name.text, other.text));
    }
    CHECK_INT(months > 150 && count > months + 80, true);
    CHECK_INT(date_name_at(count + 100, &name), false);
}

static void a_zero_byte_ends_no_date(void **state)
{
    static const char bytes[] = "20240331T1015\0Z";
    struct written_date date;

    (void)state;
    CHECK(written_date_read((struct slice){bytes, 13}, &date));
    CHECK(!written_date_read((struct slice){bytes, 14}, &date));
    CHECK(!written_date_read((struct slice){bytes, 15}, &date));
}

static void every_day_of_four_thousand_years_has_its_month_and_weekday(void **state)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    static const char *const weekdays[] = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};
    int64_t day = -719162; /* 0001-01-01 */
    (void)state;

    for (int year = 1; year <= 4000; year++)
        for (int month = 0; month < 12; month++) {
            const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

            for (int d = 1; d <= lengths[month] + (month == 1 && is_leap); d++, day++) {
                const struct date date = {.day = day};
                char text[40], number[12];

                snprintf(text, sizeof text, "%04d-%02d-%02d", year, month + 1, d);
                snprintf(number, sizeof number, "%02d", d);
                CHECK_INT(read(text).day, day);
                CHECK_SLICE(date_part_cell(&date, DATE_MONTH).text, months[month]);
                CHECK_SLICE(date_part_cell(&date, DATE_DAY).text, number);
                CHECK_SLICE(date_part_cell(&date, DATE_WEEKDAY).text,
                            weekdays[((day % 7) + 7) % 7]);
            }
        }
}

static void parts_are_words_and_the_age_a_number(void **state)
{
    (void)state;
    CHECK(part("2000-01-01", DATE_AGE).real == 0);
    CHECK(part("1999-12-31", DATE_AGE).real == 1);
    CHECK(part("2000-01-01 18:00", DATE_AGE).real == -.75);
    CHECK_INT(part("2000-01-01", DATE_AGE).type, CELL_REAL);
    check_word("2024-01-31 23:59:59.999999", DATE_HOUR, "23");
    check_word("2024-01-31 00:00", DATE_HOUR, "00");
    check_word("2024-01-31 23:30:00-02", DATE_HOUR, "01");
    check_word("2024-01-31 23:30:00-02", DATE_DAY, "01");
    check_word("2024-01-31 23:30:00-02", DATE_MONTH, "Feb");
    check_word("2024-01-31 23:30:00-02", DATE_WEEKDAY, "Thu");
    for (unsigned i = DATE_WHOLE + 1; i < DATE_PARTS; i++)
        CHECK_INT(date_part_words_max((enum date_part)i) == 0,
                  date_part_type((enum date_part)i) == INPUT_NUMERIC);
    CHECK_INT(date_parts_count(DATE_PARTS_ALL), DATE_PARTS - 1);
}

static enum status take(const struct cell *cell, struct date *date, bool *is_null,
                        struct error *err)
{
    return cell_to_date(cell, READING_NUMBER, SLICE("d"), date, is_null, err);
}

static void a_databases_own_dates_are_dates_and_other_numbers_are_not(void **state)
{
    const struct cell none[] = {{.type = CELL_NULL},
                                {.type = CELL_REAL, .real = NAN},
                                {.type = CELL_TEXT, .text = SLICE(" \t")},
                                {.type = CELL_TEXT, .text = SLICE(" N/A ")}};
    const struct cell others[] = {
        {.type = CELL_INTEGER, .integer = 19753},
        {.type = CELL_REAL, .real = 19753},
        {.type = CELL_INTEGER, .time = CELL_DAYS, .integer = INT64_MIN},
        {.type = CELL_INTEGER, .time = CELL_DAYS, .integer = INT64_MAX},
        {.type = CELL_INTEGER, .time = CELL_SECONDS, .integer = 5},
        {.type = CELL_REAL, .time = CELL_SECONDS, .real = 1e300},
        {.type = CELL_TEXT, .text = SLICE("soon")},
        {.type = CELL_BLOB, .text = SLICE("2024-01-31")},
    };
    struct cell cell = {.type = CELL_INTEGER, .time = CELL_DAYS, .integer = 19753};
    struct error err;
    struct date date;
    bool is_null;
    (void)state;

    CHECK_OK(take(&cell, &date, &is_null, &err));
    CHECK(!is_null && date.day == 19753 && date.microsecond == 0);
    cell = (struct cell){.type = CELL_REAL, .time = CELL_SECONDS, .real = -0.000001};
    CHECK_OK(take(&cell, &date, &is_null, &err));
    CHECK(date.day == -1 && date.microsecond == INT64_C(86399999999));
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        CHECK_OK(take(&none[i], &date, &is_null, &err));
        CHECK(is_null);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK_FAILS(take(&others[i], &date, &is_null, &err), STATUS_INVALID,
                    "where a date was expected");
    cell.real = INFINITY;
    CHECK_FAILS(take(&cell, &date, &is_null, &err), STATUS_INVALID, "holds an infinite date");
}

/* PostgreSQL hands over microseconds / 1e6: they come back as those of the text. */
static void seconds_are_the_moment_to_the_microsecond(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 100000; i++) {
        const double uniform = random_uniform(3, RANDOM_INITIAL, 0, i);
        const int64_t microseconds = (int64_t)((uniform - .25) * 8e15);
        const struct cell cell = {
            .type = CELL_REAL, .time = CELL_SECONDS, .real = (double)microseconds / 1e6};
        struct error err;
        struct date date;
        bool is_null;

        CHECK_OK(take(&cell, &date, &is_null, &err));
        CHECK(date.day * INT64_C(86400000000) + date.microsecond == microseconds);
        CHECK(date.microsecond >= 0 && date.microsecond < INT64_C(86400000000));
    }
}

/* Any bytes over the letters of dates: read or refused, never beyond the end. */
static void cut_and_changed_texts_never_read_beyond_their_end(void **state)
{
    static const char text[] = "2024-01-31T12:34:56.789+05:30", letters[] = "0129-+:.TZ \xff";
    (void)state;

    for (uint64_t i = 0; i < 20000; i++) {
        const size_t size = (size_t)(random_uniform(1, RANDOM_INITIAL, 0, i) * sizeof text);
        const size_t at = (size_t)(random_uniform(1, RANDOM_INITIAL, 1, i) * (double)(size + 1));
        char *exact = malloc(size + 1);
        struct date date;

        memcpy(exact, text, size);
        if (at < size)
            exact[at] = letters[i % (sizeof letters - 1)];
        exact = realloc(exact, size ? size : 1);
        if (date_read((struct slice){exact, size}, &date))
            CHECK(date.microsecond >= 0 && date.microsecond < INT64_C(86400000000));
        free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_of_one_moment_is_that_moment),
        cmocka_unit_test(dates_are_read_as_people_write_them),
        cmocka_unit_test(what_nobody_writes_as_a_date_is_none),
        cmocka_unit_test(every_name_is_listed_once_and_means_what_the_list_says),
        cmocka_unit_test(a_zero_byte_ends_no_date),
        cmocka_unit_test(what_is_no_date_is_refused),
        cmocka_unit_test(every_day_of_four_thousand_years_has_its_month_and_weekday),
        cmocka_unit_test(parts_are_words_and_the_age_a_number),
        cmocka_unit_test(a_databases_own_dates_are_dates_and_other_numbers_are_not),
        cmocka_unit_test(seconds_are_the_moment_to_the_microsecond),
        cmocka_unit_test(cut_and_changed_texts_never_read_beyond_their_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
