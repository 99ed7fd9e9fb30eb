#include "tests/check.h"

#include <math.h>
#include <stdlib.h>

#include "inputs/cells/cell_text.h"

static void a_text_is_of_one_kind(void **state)
{
    static const struct {
        const char *text;
        enum text_kind kind;
    } cases[] = {
        {"", TEXT_BLANK},
        {" \t", TEXT_BLANK},
        {"12", TEXT_NUMBER},
        {" -1.5e3 ", TEXT_NUMBER},
        {"0", TEXT_NUMBER},
        {"0.5", TEXT_NUMBER},
        {"1e999", TEXT_NUMBER},
        {"007", TEXT_CODE},
        {"-01", TEXT_CODE},
        {"1,234", TEXT_SEPARATED},
        {"-12,345,678.25", TEXT_SEPARATED},
        {"+1,234.", TEXT_SEPARATED},
        {"1.234,5", TEXT_WRITTEN},
        {"0,123", TEXT_WRITTEN},
        {"1,23", TEXT_WRITTEN},
        {"1,2345", TEXT_WRITTEN},
        {"1234,567", TEXT_WRITTEN},
        {"1,234,56", TEXT_WORD},
        {",123", TEXT_WRITTEN},
        {"12%", TEXT_WRITTEN},
        {"€5", TEXT_WRITTEN},
        {"($1,234.50)", TEXT_WRITTEN},
        {"123456789012345", TEXT_NUMBER},
        {"1234567890123456", TEXT_NUMBER},
        {"-", TEXT_MISSING},
        {"+", TEXT_WORD},
        {".", TEXT_MISSING},
        {"31.01.2024", TEXT_WRITTEN_DATE},
        {"1/31/2024 10:30 PM", TEXT_WRITTEN_DATE},
        {"Jan 31, 2024", TEXT_WRITTEN_DATE},
        {"1.2.10", TEXT_WORD},
        {"1,", TEXT_WORD},
        {"n/a", TEXT_MISSING},
        {"N/A", TEXT_MISSING},
        {" NaN ", TEXT_MISSING},
        {"None", TEXT_MISSING},
        {"?", TEXT_MISSING},
        {"-", TEXT_MISSING},
        {"\\N", TEXT_MISSING},
        {"nano", TEXT_WORD},
        {"t", TEXT_BOOLEAN},
        {"FALSE", TEXT_BOOLEAN},
        {"Yes", TEXT_BOOLEAN},
        {"yess", TEXT_WORD},
        {"2024-01-31", TEXT_DATE},
        {"2024-01-3", TEXT_WRITTEN_DATE},
        {"2024-01-31 12:34", TEXT_TIMESTAMP},
        {"2024-01-31T12:34:56.789Z", TEXT_TIMESTAMP},
        {"2024-01-31 12:34:56+01", TEXT_TIMESTAMP},
        {"2024-01-31 12:34:56-01:30", TEXT_TIMESTAMP},
        {"2024-01-31 12:34:56-0130", TEXT_TIMESTAMP},
        {"2024-01-31 12:34 UTC", TEXT_TIMESTAMP},
        {"2024-01-31t12:34 utc", TEXT_TIMESTAMP},
        {"2024-01-31T12:34:56,5z", TEXT_WRITTEN_DATE},
        {"+12345.25e+10", TEXT_NUMBER},
        {"-.12345E-10", TEXT_NUMBER},
        {"1,234,567.5", TEXT_SEPARATED},
        {"1c396cfa", TEXT_WORD},
        {"12e45cc1", TEXT_WORD},
        {"123e1000", TEXT_NUMBER},
        {"2024-01-31 12", TEXT_WORD},
        {"2024-01-31 12:34:56.", TEXT_WORD},
        {"2024-01-31 12:34 now", TEXT_WORD},
        {"inf", TEXT_WORD},
        {"0x10", TEXT_WORD},
        {"\u0663", TEXT_WRITTEN},
        {"\u0661\u0662\u066b\u0665", TEXT_WRITTEN},
        {"\uff12\uff10\uff12\uff14\uff0f\uff10\uff11\uff0f\uff13\uff11", TEXT_WRITTEN_DATE},
        {"\u0662\u0660\u0662\u0664-\u0660\u0661-\u0663\u0661", TEXT_WRITTEN_DATE},
        {"\u0660\u0660\u0667", TEXT_WORD},
        {"\u0661\u0662a", TEXT_WORD},
        {"\u041c\u043e\u0441\u043a\u0432\u0430", TEXT_WORD},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_INT(text_look_at(slice_of(cases[i].text)).kind, cases[i].kind);
}

static void check_read(const char *text, enum input_reading reading, double wanted)
{
    const struct text_look look = text_look_at(slice_of(text));
    double number;
    bool is_null;

    CHECK(text_look_number(&look, slice_of(text), reading, &number, &is_null) && !is_null);
    CHECK(number == wanted);
}

static void check_null(const char *text, enum input_reading reading)
{
    const struct text_look look = text_look_at(slice_of(text));
    double number;
    bool is_null;

    CHECK(text_look_number(&look, slice_of(text), reading, &number, &is_null) && is_null);
}

static void check_unread(const char *text, enum input_reading reading)
{
    const struct text_look look = text_look_at(slice_of(text));
    double number;
    bool is_null;

    CHECK(!text_look_number(&look, slice_of(text), reading, &number, &is_null));
}

static void a_reading_takes_what_it_says_and_nothing_else(void **state)
{
    (void)state;
    for (int reading = READING_NUMBER; reading <= READING_POINT; reading++) {
        check_read(" 1.5 ", (enum input_reading)reading, 1.5);
        check_read("007", (enum input_reading)reading, 7);
        check_null(" ", (enum input_reading)reading);
        check_unread("abc", (enum input_reading)reading);
        check_unread("2024-01-31", (enum input_reading)reading);
        if (reading != READING_STRICT)
            check_null("N/A", (enum input_reading)reading);
        if (reading != READING_SEPARATED && reading != READING_POINT)
            check_unread("1,234.5", (enum input_reading)reading);
        if (reading != READING_BOOLEAN)
            check_unread("yes", (enum input_reading)reading);
    }
    check_unread("n/a", READING_STRICT);
    check_read("-1,234,567.5", READING_SEPARATED, -1234567.5);
    check_read("Yes", READING_BOOLEAN, 1);
    check_read("f", READING_BOOLEAN, 0);
}

static void a_comma_is_what_the_reading_says(void **state)
{
    (void)state;
    check_read("1,234", READING_SEPARATED, 1234);
    check_read("1,234", READING_POINT, 1234);
    check_read("1,234", READING_COMMA, 1.234);
    check_unread("1,234", READING_NUMBER);
    check_read("1.234", READING_NUMBER, 1.234);
    check_read("1.234", READING_POINT, 1.234);
    check_read(" 1.234 ", READING_COMMA, 1234);
    check_read(" -79,19 ", READING_COMMA, -79.19);
    check_read("12", READING_COMMA, 12);
    check_read("007", READING_COMMA, 7);
    check_unread("1.5", READING_COMMA);
    check_unread("1,234.5", READING_COMMA);
    check_unread("79,19", READING_POINT);
    check_unread("79,19", READING_NUMBER);
    check_unread("79,19", READING_STRICT);
    check_read("€1,234.50", READING_POINT, 1234.5);
    check_unread("€1,234.50", READING_SEPARATED);
    check_read("12%", READING_POINT, 0.12);
    check_read("12%", READING_COMMA, 0.12);
    check_null("n/a", READING_COMMA);
    check_null(" ", READING_POINT);
    check_unread("yes", READING_POINT);
    check_unread("red", READING_COMMA);
    check_unread("31.01.2024", READING_COMMA);
}

/* Short decimals are read without strtod: the double is the same. */
static void plain_numbers_are_the_nearest_doubles(void **state)
{
    static const char *const texts[] = {"0.1",
                                        "-0.3",
                                        "123456.789012345",
                                        "0.000000000000001",
                                        "99999999999999.9",
                                        "+1.5",
                                        "-0",
                                        "999999999999999",
                                        "1234567890.12345",
                                        "3.14159265358979",
                                        "5.",
                                        ".25",
                                        "-.5",
                                        "0.30000000000000",
                                        "100"};
    (void)state;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct text_look look = text_look_at(slice_of(texts[i]));
        const double wanted = strtod(texts[i], NULL);

        CHECK_INT(look.kind, TEXT_NUMBER);
        CHECK(look.number == wanted && signbit(look.number) == signbit(wanted));
    }
}

static void a_text_without_end_is_a_word(void **state)
{
    static char nines[4000];
    struct text_look look;
    (void)state;

    for (size_t i = 0; i < sizeof nines; i++)
        nines[i] = i % 4 == 1 ? ',' : '9';
    look = text_look_at((struct slice){nines, sizeof nines});
    CHECK(look.kind == TEXT_WORD);
    CHECK(text_look_at((struct slice){"n/a\0", 4}).kind == TEXT_WORD);
    CHECK(text_look_at((struct slice){"1\0", 2}).kind == TEXT_WORD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_of_one_kind),
        cmocka_unit_test(a_reading_takes_what_it_says_and_nothing_else),
        cmocka_unit_test(a_comma_is_what_the_reading_says),
        cmocka_unit_test(plain_numbers_are_the_nearest_doubles),
        cmocka_unit_test(a_text_without_end_is_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
