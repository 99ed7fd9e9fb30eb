/* Numbers as people write them: by which writings a text is one, and which number it is. */
#include "inputs/cells/digits.h"
#include "inputs/cells/written_number.h"

#include <math.h>

#include "tests/check.h"

#define POINT  WRITTEN_BY_POINT
#define COMMA  WRITTEN_BY_COMMA
#define BOTH   (WRITTEN_BY_POINT | WRITTEN_BY_COMMA)
#define EITHER (BOTH | WRITTEN_EITHER)

static void a_number_is_read_by_the_writings_that_it_fits(void **state)
{
    static const struct {
        const char *text;
        unsigned by;
        double by_point, by_comma;
    } cases[] = {
        /* plain ones */
        {"12", BOTH, 12, 12},
        {"+12", BOTH, 12, 12},
        {"0", BOTH, 0, 0},
        {"1.5", POINT, 1.5, 0},
        {".5", POINT, 0.5, 0},
        {"5.", POINT, 5, 0},
        {"1.5e3", POINT, 1500, 0},
        {"2E-2", BOTH, 0.02, 0.02},
        {"123456789.25", POINT, 123456789.25, 0},
        /* a comma before the fraction */
        {"79,19", COMMA, 0, 79.19},
        {",5", COMMA, 0, 0.5},
        {"0,123", COMMA, 0, 0.123},
        {"1,5e3", COMMA, 0, 1500},
        {"7,648e+02", COMMA, 0, 764.8},
        {"1.234e2", POINT, 123.4, 0},
        {"1234,567", COMMA, 0, 1234.567},
        {"1.234,50", COMMA, 0, 1234.5},
        {"1.234.567", COMMA, 0, 1234567},
        {"-12.345.678,9", COMMA, 0, -12345678.9},
        /* groups */
        {"1,234.50", POINT, 1234.5, 0},
        {"1,234,567", POINT, 1234567, 0},
        {"1,234.", POINT, 1234, 0},
        {"12,34,567.5", POINT, 1234567.5, 0},
        {"1,23,456", POINT, 123456, 0},
        {"1 234.5", POINT, 1234.5, 0},
        {"1 234,5", COMMA, 0, 1234.5},
        {"1 234 567", BOTH, 1234567, 1234567},
        {"1\xC2\xA0"
         "234,5",
         COMMA, 0, 1234.5},
        {"1\xE2\x80\xAF"
         "234,5",
         COMMA, 0, 1234.5},
        {"1'234.50", POINT, 1234.5, 0},
        {"1\xE2\x80\x99"
         "234,50",
         COMMA, 0, 1234.5},
        {"1,234", EITHER, 1234, 1.234},
        {"1.234", EITHER, 1.234, 1234},
        {"0.234", POINT, 0.234, 0},
        /* signs */
        {"\xE2\x88\x92"
         "5",
         BOTH, -5, -5},
        {"12.50-", POINT, -12.5, 0},
        {"12,50-", COMMA, 0, -12.5},
        {"(1,234.50)", POINT, -1234.5, 0},
        {"(3)", BOTH, -3, -3},
        {"+1,5", COMMA, 0, 1.5},
        /* money */
        {"5,-", BOTH, 5, 5},
        {"5.-", BOTH, 5, 5},
        {"1.234,-- €", EITHER, 1.234, 1234},
        {"$5", BOTH, 5, 5},
        {"$1,234.50", POINT, 1234.5, 0},
        {"-$1.50", POINT, -1.5, 0},
        {"$-1.50", POINT, -1.5, 0},
        {"($1.50)", POINT, -1.5, 0},
        {"$(1.50)", POINT, -1.5, 0},
        {"€1,234.50", POINT, 1234.5, 0},
        {"1.234,50 €", COMMA, 0, 1234.5},
        {"1.234,50\xC2\xA0€", COMMA, 0, 1234.5},
        {"EUR 12", BOTH, 12, 12},
        {"12 EUR", BOTH, 12, 12},
        {"USD1,000.00", POINT, 1000, 0},
        {"US$ 7.5", POINT, 7.5, 0},
        {"CHF 1'234.50", POINT, 1234.5, 0},
        {"R$ 1.234,56", COMMA, 0, 1234.56},
        {"99 kr", BOTH, 99, 99},
        {"12,50 z\xC5\x82", COMMA, 0, 12.5},
        {"₹1,23,456.78", POINT, 123456.78, 0},
        {"$ .5", POINT, 0.5, 0},
        /* percents */
        {"12%", BOTH, 0.12, 0.12},
        {"12.5 %", POINT, 0.125, 0},
        {"12,5\xC2\xA0%", COMMA, 0, 0.125},
        {"-3%", BOTH, -0.03, -0.03},
        {"(7%)", BOTH, -0.07, -0.07},
        {"7%-", BOTH, -0.07, -0.07},
        /* digits of other scripts, wide forms, and marks that nobody sees */
        {"\u0661\u0662\u066b\u0665", POINT, 12.5, 0},
        {"\u06f1\u06f2\u06f3", BOTH, 123, 123},
        {"\u0661\u066c\u0662\u0663\u0664\u066b\u0665\u0660", POINT, 1234.5, 0},
        {"\u0661\u0662\u060c\u0665", COMMA, 0, 12.5},
        {"\u0665\u066a", BOTH, 0.05, 0.05},
        {"-\u0967\u0968", BOTH, -12, -12},
        {"\uff11\uff0c\uff12\uff13\uff14\uff0e\uff15", POINT, 1234.5, 0},
        {"\uff0d\uff11\uff12", BOTH, -12, -12},
        {"\uffe5\uff11\uff12", BOTH, 12, 12},
        {"\u200b12.5", POINT, 12.5, 0},
        {"\u200e-12\u200f", BOTH, -12, -12},
        {"\u3000\uff17\u3000", BOTH, 7, 7},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct written_number number;

        if (!written_number_read(slice_of(cases[i].text), &number))
            check_failed("'%s' is a number", cases[i].text);
        if (number.by != cases[i].by)
            check_failed("'%s' is written by %u, not %u", cases[i].text, number.by, cases[i].by);
        CHECK(!(number.by & POINT) || number.by_point == cases[i].by_point);
        CHECK(!(number.by & COMMA) || number.by_comma == cases[i].by_comma);
    }
}

static void what_is_no_number_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        " ",
        "-",
        "()",
        "(",
        "%",
        "$",
        "EUR",
        "1,",
        ",",
        ".",
        "1,,2",
        "1..2",
        "1,2,3",
        "1.2.3",
        "1,2345.5",
        "12,34.5",
        "00,5",
        "007,50",
        "1234,567.5",
        "1,234,56",
        "1 23",
        "1  234",
        "12 34 567",
        "1'23",
        "--5",
        "5--",
        "-5-",
        "(-5)",
        "(5",
        "5)",
        "$$5",
        "$5 EUR",
        "5%%",
        "12 kg",
        "zip12",
        "12a",
        "1e",
        "e5",
        "1e5e5",
        "1e1234",
        "1e999",
        "0x10",
        "1/2",
        "12:30",
        "2024-01-31",
        "10.0.0.1",
        "1.234,567,8",
        "1,234 567",
        "1,234.567.8",
        "SKU123",
        "1\xC2",
        "\u0660\u0660\u0667",
        "\u0661\u0662\u6708",
        "\uff11\uff12\u53f7",
        "\u200b",
        "\xE2\x88\x92",
        "1,234,567,890,123,456,789,012,345,678,901,234,567,890,123,456,789,012",
    };
    (void)state;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct written_number number;

        if (written_number_read(slice_of(texts[i]), &number))
            check_failed("'%s' is no number", texts[i]);
    }
}

static void the_same_money_has_one_number(void **state)
{
    static const char *const same[][2] = {
        {"$5", "USD 5"}, {"US$5", "5 USD"}, {"€5", "5 EUR"}, {"£5", "GBP 5"}, {"CHF 5", "Fr. 5"}};
    struct written_number a, b;
    (void)state;

    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        CHECK(written_number_read(slice_of(same[i][0]), &a));
        CHECK(written_number_read(slice_of(same[i][1]), &b));
        CHECK(a.currency > 0 && a.currency < WRITTEN_CURRENCIES && a.currency == b.currency);
    }
    CHECK(written_number_read(SLICE("A$5"), &a) && written_number_read(SLICE("$5"), &b));
    CHECK(a.currency != b.currency);
    CHECK_SLICE(slice_of(written_currency(b.currency)), "$");
    CHECK(written_number_read(SLICE("5%"), &a) && a.is_percent && a.currency == 0);
}

static void tables_have_each_mark_and_each_digit(void **state)
{
    struct written_number number;
    struct digits_run run;
    size_t marks = 0, runs = 0;
    (void)state;

    for (; written_mark(marks); marks++) {
        char text[16];

        snprintf(text, sizeof text, "5 %s", written_mark(marks));
        CHECK(written_number_read(slice_of(text), &number) && number.currency > 0);
    }
    CHECK(marks > 80);
    for (; digits_run_at(runs, &run); runs++)
        for (uint32_t point = run.first; point <= run.last; point++)
            CHECK_INT(digits_meant(point), run.meant == 0 ? 0 : run.meant + (point - run.first));
    CHECK(runs > 40);
    CHECK_INT(digits_meant(0x20AC), 0x20AC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_is_read_by_the_writings_that_it_fits),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(the_same_money_has_one_number),
        cmocka_unit_test(tables_have_each_mark_and_each_digit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
