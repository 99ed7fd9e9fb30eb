#include "planner/notices/spelling_notices.h"

#include "tests/check.h"

/* Each notice of a column by itself. */
static struct notice_list said(const struct query_column *column, enum input_reading reading)
{
    struct notice_list notices = {0};
    const struct plan plan = {.notices = &notices};

    note_written_numbers(&plan, column, reading, false);
    return notices;
}

static struct notice_list nearly(const struct query_column *column, enum sql_dialect dialect,
                                 bool is_left_out)
{
    struct notice_list notices = {0};
    const struct plan plan = {.notices = &notices, .dialect = dialect};
    const bool is_said = note_nearly_read(&plan, column, is_left_out);

    CHECK_INT(is_said, notices.count > 0);
    return notices;
}

static void check_said(const struct notice_list *notices, size_t i, const char *text,
                       const char *hint)
{
    CHECK(notices->count > i);
    if (!strstr(notices->items[i].text, text) || !strstr(notices->items[i].hint, hint))
        check_failed("%s (%s)", notices->items[i].text, notices->items[i].hint);
}

static void ways_of_writing_numbers_are_told(void **state)
{
    struct query_column column = {.name = SLICE("Price 1"), .texts = 9, .separated_texts = 9};
    struct notice_list notices;
    (void)state;

    notices = said(&column, READING_SEPARATED);
    check_said(&notices, 0, "with a comma between thousands, in 9 sampled rows",
               "VOCABULARY(\"Price 1\")");
    column.written_texts = 3;
    column.numbers.not_point = 1;
    notices = said(&column, READING_COMMA);
    check_said(&notices, 0, "with a decimal comma, '1.234,50' as 1234.5, in 12", "VOCABULARY");
    notices = said(&column, READING_POINT);
    check_said(&notices, 0, "with separators, signs around them or digits of other scripts",
               "VOCABULARY");
    column.numbers.currencies = 1 << 1;
    notices = said(&column, READING_POINT);
    check_said(&notices, 0, "without the signs of currency", "VOCABULARY");
    CHECK_INT(notices.count, 1);
    column.numbers.percents = 12;
    notices = said(&column, READING_POINT);
    check_said(&notices, 0, "'12%' as 0.12", "VOCABULARY");
    CHECK_INT(notices.count, 1); /* all of them */
}

/* A label has no VOCABULARY, and a plain one is not told. */
static void a_label_is_told_without_vocabulary(void **state)
{
    struct query_column column = {.name = SLICE("y"), .texts = 9, .separated_texts = 9};
    struct notice_list notices = {0};
    const struct plan plan = {.notices = &notices};
    (void)state;

    note_written_numbers(&plan, &column, READING_STRICT, true);
    CHECK_INT(notices.count, 0);
    note_written_numbers(&plan, &column, READING_SEPARATED, true);
    check_said(&notices, 0, "label column \"y\" is read as numbers with a comma", "");
    column.written_texts = 9;
    column.numbers.percents = 18;
    note_written_numbers(&plan, &column, READING_POINT, true);
    check_said(&notices, 1, "'12%' as 0.12", "Predictions are such numbers");
    for (size_t i = 0; i < notices.count; i++)
        CHECK(!strstr(notices.items[i].hint, "VOCABULARY"));
}

static void amounts_of_several_currencies_and_some_percents_are_told(void **state)
{
    struct query_column column = {.name = SLICE("price"), .texts = 9, .written_texts = 9};
    struct notice_list notices;
    (void)state;

    column.numbers.not_comma = 1;
    column.numbers.currencies = 1 << 1 | 1 << 2;
    column.numbers.percents = 4;
    notices = said(&column, READING_POINT);
    CHECK_INT(notices.count, 3);
    check_said(&notices, 1, " and ", "one currency");
    check_said(&notices, 2, "4 of 9 numbers are percents", "replace(price, '%', '') AS price");
    column.numbers.currencies = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4;
    notices = said(&column, READING_POINT);
    check_said(&notices, 1, " and 1 other,", "");
    column.numbers.currencies |= 1 << 5;
    notices = said(&column, READING_POINT);
    check_said(&notices, 1, " and 2 others,", "");
}

static void what_nothing_tells_is_asked(void **state)
{
    struct query_column column = {.name = SLICE("a"), .texts = 5, .numeric_texts = 5};
    struct notice_list notices;
    (void)state;

    CHECK_INT(said(&column, READING_NUMBER).count, 0);
    column.numbers.either = 5;
    notices = said(&column, READING_NUMBER);
    check_said(&notices, 0, "three digits after it", "replace(a, '.', '') AS a reads '1.234'");
    column.numeric_texts = 0;
    CHECK_INT(said(&column, READING_NUMBER).count, 0);
    column.separated_texts = 5;
    notices = said(&column, READING_SEPARATED);
    check_said(&notices, 0, "comma between thousands", "replace(a, ',', '.') AS a reads '1,234'");
}

static void columns_that_nearly_are_numbers_name_the_other_texts(void **state)
{
    struct query_column column = {
        .name = SLICE("1st"), .texts = 100, .numeric_texts = 90, .word = "unknown"};
    struct notice_list notices;
    (void)state;

    notices = nearly(&column, SQL_SQLITE, false);
    check_said(&notices, 0,
               "90 % of column \"1st\" are numbers, 10 cells are not, and all are taken",
               "CASE WHEN ... THEN \"1st\" END AS \"1st\"");
    column.word_size = 7;
    column.word_cells = 8;
    notices = nearly(&column, SQL_SQLITE, true);
    check_said(&notices, 0, "it is left out; the most frequent other text is 'unknown', in 8 of 10",
               "NULLIF(\"1st\", 'unknown') AS \"1st\" makes it missing; so of the others.");
    column.word_cells = 10;
    notices = nearly(&column, SQL_SQLITE, true);
    check_said(&notices, 0, "in 10 of 10", "makes it missing.");
    slice_copy(SLICE("68.8[1]"), column.word, sizeof column.word);
    notices = nearly(&column, SQL_SQLITE, true);
    check_said(&notices, 0, "in 10 of 10", "NULLIF");
    column.word_cells = 2; /* other numbers have marks, too */
    notices = nearly(&column, SQL_SQLITE, true);
    check_said(&notices, 0, "in 2 of 10",
               "CASE WHEN ltrim(\"1st\", '+-. ') GLOB '[0-9]*' THEN CAST(replace(\"1st\", ',', '') "
               "AS REAL) END AS \"1st\" takes");
    notices = nearly(&column, SQL_POSTGRES, true);
    check_said(&notices, 0, "in 2 of 10",
               "'^ *([-+]?[0-9]*[.]?[0-9]+)')::float8 AS \"1st\" takes the number");
    column.numbers.not_point = 80; /* by a decimal comma */
    notices = nearly(&column, SQL_SQLITE, true);
    check_said(&notices, 0, "in 2 of 10",
               "CAST(replace(replace(\"1st\", '.', ''), ',', '.') AS REAL) END AS \"1st\"");
    column.numbers.not_point = 0;
    slice_copy(SLICE("12/2024"), column.word, sizeof column.word);
    notices = nearly(&column, SQL_SQLITE, true);
    check_said(&notices, 0, "'12/2024'", "NULLIF");
    column.shaped = (struct shaped_words){.shape = SHAPE_MEASURE, .unit = "k", .unit_size = 1};
    notices = nearly(&column, SQL_SQLITE, true);
    check_said(&notices, 0, "look like numbers with a unit", "LIKE '%k%' THEN 1e3");
    column.shaped.shape = SHAPE_NONE;
    column.numeric_texts = 40;
    CHECK_INT(nearly(&column, SQL_SQLITE, false).count, 0);
    column.numeric_texts = 90;
    column.code_texts = 5;
    CHECK_INT(nearly(&column, SQL_SQLITE, false).count, 0);
    column.blobs = 1;
    CHECK_INT(nearly(&column, SQL_SQLITE, false).count, 0);
}

static void columns_that_nearly_are_dates_say_what_to_write(void **state)
{
    struct query_column column = {.name = SLICE("day"), .texts = 50, .dates = 45};
    struct notice_list notices;
    (void)state;

    notices = nearly(&column, SQL_SQLITE, false);
    check_said(&notices, 0, "90 % of column \"day\" are dates", "CASE WHEN");
    column.dates = 0;
    column.unclear_dates = 50;
    notices = nearly(&column, SQL_SQLITE, false);
    check_said(&notices, 0, "dates as 03/04/2024", "substr(day, 7) || '-' || substr(day, 4, 2)");
    notices = nearly(&column, SQL_POSTGRES, true);
    check_said(&notices, 0, "the day or the month is first, and it is left out",
               "to_date(day, 'DD/MM/YYYY')");
    column.short_years = 50;
    notices = nearly(&column, SQL_POSTGRES, false);
    check_said(&notices, 0, "03/04/05", "'DD/MM/YY'");
    notices = nearly(&column, SQL_SQLITE, false);
    check_said(&notices, 0, "the day, the month or the year", "'20' || substr(day, 7)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_of_writing_numbers_are_told),
        cmocka_unit_test(a_label_is_told_without_vocabulary),
        cmocka_unit_test(amounts_of_several_currencies_and_some_percents_are_told),
        cmocka_unit_test(what_nothing_tells_is_asked),
        cmocka_unit_test(columns_that_nearly_are_numbers_name_the_other_texts),
        cmocka_unit_test(columns_that_nearly_are_dates_say_what_to_write),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
