#include "tests/check.h"

#include <stdio.h>
#include <string.h>

#include "scoring/columns/word_shapes.h"

static void each_word_has_one_shape_or_none(void **state)
{
    static const struct {
        const char *word;
        enum word_shape shape;
        const char *unit;
    } cases[] = {
        {"", SHAPE_NONE, ""},
        {"red", SHAPE_NONE, ""},
        {"12", SHAPE_NONE, ""},
        {"10:17", SHAPE_TIME, ""},
        {"9:05:30", SHAPE_TIME, ""},
        {"4:30 pm", SHAPE_TIME, ""},
        {"4:30 A.M.", SHAPE_TIME, ""},
        {"4:30AM", SHAPE_TIME, ""},
        {"04:30 p.m.", SHAPE_TIME, ""},
        {"4:30 xm", SHAPE_PARTS, ""},
        {"123:45", SHAPE_PARTS, ""},
        {"4:5", SHAPE_PARTS, ""},
        {":45", SHAPE_NONE, ""},
        {"10;17", SHAPE_PARTS, ""},
        {"06. sierpnia 2022", SHAPE_DATE, ""},
        {"2019-W12", SHAPE_DATE, ""},
        {"2022-10", SHAPE_DATE, ""},
        {"2022-10-11 12:30:15", SHAPE_DATE, ""},
        {"10-1022", SHAPE_PARTS, ""},
        {"10-2922", SHAPE_PARTS, ""},
        {"2022", SHAPE_NONE, ""},
        {"2022 2023 1", SHAPE_PARTS, ""},
        {"2022-100", SHAPE_DATE, ""},
        {"2022-367", SHAPE_PARTS, ""},
        {"1022-100", SHAPE_PARTS, ""},
        {"2022/100", SHAPE_PARTS, ""},
        {"2022-1000", SHAPE_PARTS, ""},
        {"January 2024", SHAPE_DATE, ""},
        {"Sept 2024", SHAPE_DATE, ""},
        {"2024 jan", SHAPE_DATE, ""},
        {"24-Jan", SHAPE_DATE, ""},
        {"Jan-24", SHAPE_DATE, ""},
        {"May 5", SHAPE_NONE, ""},
        {"May 1024", SHAPE_NONE, ""},
        {"Janet 2024", SHAPE_NONE, ""},
        {"3rd", SHAPE_ORDINAL, ""},
        {"21ST", SHAPE_ORDINAL, ""},
        {"3rd row", SHAPE_MEASURE, "rd row"},
        {"<5", SHAPE_BOUND, ""},
        {">= 5.5", SHAPE_BOUND, ""},
        {"80+", SHAPE_BOUND, ""},
        {"≤ 1,200", SHAPE_BOUND, ""},
        {"< -5", SHAPE_BOUND, ""},
        {"150-155", SHAPE_PARTS, ""},
        {"-10 - -20", SHAPE_PARTS, ""},
        {"10 to 20", SHAPE_PARTS, ""},
        {"1.10.2", SHAPE_PARTS, ""},
        {"(555) 123-4567", SHAPE_PARTS, ""},
        {"12°34'56\"N", SHAPE_PARTS, ""},
        {"10x20 cm", SHAPE_PARTS, ""},
        {"1 1/2", SHAPE_PARTS, ""},
        {"10 then 20", SHAPE_NONE, ""},
        {"A10-20", SHAPE_NONE, ""},
        {"17-000003", SHAPE_NONE, ""},
        {"12-05", SHAPE_PARTS, ""},
        {"6042324088_R01C01", SHAPE_NONE, ""},
        {"#10-20", SHAPE_NONE, ""},
        {"10-20 of them all", SHAPE_NONE, ""},
        {"1-2-3-4-5-6-7", SHAPE_NONE, ""},
        {"1-2-3-4-5-6-7-8-9-10-11-12-13", SHAPE_NONE, ""},
        {"1 May-2", SHAPE_NONE, ""},
        {"1 2nd", SHAPE_NONE, ""},
        {"7h 29m", SHAPE_DURATION, ""},
        {"1 day 2 hours", SHAPE_DURATION, ""},
        {"PT449M", SHAPE_DURATION, ""},
        {"P1DT2H", SHAPE_DURATION, ""},
        {"PT", SHAPE_NONE, ""},
        {"P5X", SHAPE_NONE, ""},
        {"7h 29x", SHAPE_PARTS, ""},
        {"7h and 2m", SHAPE_NONE, ""},
        {"on the 6th of a month that has a long name 2022", SHAPE_NONE, ""},
        {"\"12.5\"", SHAPE_QUOTED, ""},
        {"'12'", SHAPE_QUOTED, ""},
        {"'12.5", SHAPE_QUOTED, ""},
        {"'x", SHAPE_NONE, ""},
        {"\"12.5", SHAPE_NONE, ""},
        {"{\"a\": 1}", SHAPE_OBJECT, ""},
        {"[{ \"a\": 1", SHAPE_OBJECT, ""},
        {"{a}", SHAPE_NONE, ""},
        {"[", SHAPE_NONE, ""},
        {"drama|comedy", SHAPE_LIST, ""},
        {"t1;t20;t3", SHAPE_LIST, ""},
        {"smile ;", SHAPE_NONE, ""},
        {";x", SHAPE_NONE, ""},
        {"a||b", SHAPE_NONE, ""},
        {"'12\"", SHAPE_NONE, ""},
        {"'x'", SHAPE_NONE, ""},
        {"''", SHAPE_NONE, ""},
        {"12.5 kg", SHAPE_MEASURE, "kg"},
        {"1.4k", SHAPE_MEASURE, "k"},
        {"1,234 m", SHAPE_MEASURE, "m"},
        {"12 µg", SHAPE_MEASURE, "µg"},
        {"12 -", SHAPE_NONE, ""},
        {"12 kilogrammes a day", SHAPE_NONE, ""},
        {"a12b", SHAPE_NONE, ""},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct slice unit;

        const enum word_shape shape = word_shape_of(slice_of(cases[i].word), &unit);

        if (shape != cases[i].shape)
            check_failed("'%s' has the shape %d", cases[i].word, (int)shape);
        if (cases[i].shape == SHAPE_MEASURE)
            CHECK(slice_is(unit, cases[i].unit));
    }
}

/* Words of a column, each of one row. */
static struct shaped_words shapes_of(const char *format, uint32_t count, const char *other,
                                     uint32_t others)
{
    struct cell_census *census;
    struct shaped_words shaped;
    struct error err;
    char word[64];

    CHECK_OK(cell_census_new(1, (const bool[]){false}, &census, &err));
    for (uint32_t i = 0; i < count + others; i++) {
        struct cell cell = {.type = CELL_TEXT};

        snprintf(word, sizeof word, i < count ? format : other, 10 + i);
        cell.text = slice_of(word);
        CHECK_OK(cell_count(census, 0, &cell, &err));
    }
    shaped = word_shapes_of(&census->columns[0]);
    cell_census_free(census);
    return shaped;
}

static void nine_of_ten_words_make_the_shape_of_a_column(void **state)
{
    struct shaped_words shaped = shapes_of("%u kg", 20, "x%u", 0);
    (void)state;

    CHECK_INT(shaped.shape, SHAPE_MEASURE);
    CHECK(slice_is((struct slice){shaped.unit, shaped.unit_size}, "kg"));
    CHECK(slice_is((struct slice){shaped.example, shaped.example_size}, "10 kg"));
    CHECK_INT(shapes_of("%u kg", 27, "x%u", 3).shape, SHAPE_MEASURE);
    CHECK_INT(shapes_of("%u kg", 26, "x%u", 4).shape, SHAPE_NONE);
    CHECK_INT(shapes_of("%u kg", 15, "%u g", 15).shape, SHAPE_UNITS); /* no one unit */
    CHECK_INT(shapes_of("%u kg", 15, "%u c", 15).shape, SHAPE_NONE);  /* rather a code */
    CHECK_INT(shapes_of("%u kg", 9, "x%u", 0).shape, SHAPE_NONE);     /* too few */
    CHECK_INT(shapes_of("10:%u", 20, "x%u", 0).shape, SHAPE_TIME);
    CHECK_INT(shapes_of("2019-W%u", 20, "x%u", 0).shape, SHAPE_DATE);
    CHECK_INT(shapes_of("'%u'", 20, "x%u", 0).shape, SHAPE_QUOTED);
    CHECK_INT(shapes_of("w%u", 20, "x%u", 0).shape, SHAPE_NONE);
}

static void words_of_one_form_have_numbers_in_it(void **state)
{
    struct shaped_words shaped = shapes_of("%u-99", 20, "%u to 99", 2);
    (void)state;

    CHECK_INT(shaped.shape, SHAPE_PARTS);
    CHECK(word_form_is(&shaped.form, "#-#"));
    CHECK_INT(shaped.words, 22);
    CHECK_INT(shaped.shaped, 20);
    CHECK(!shaped.has_commas);
    CHECK_INT(shapes_of("%u-99", 10, "%u to 99", 10).shape, SHAPE_NONE); /* no one form */
    CHECK(shapes_of("%u-9,999", 20, "x", 0).has_commas);
    CHECK_INT(shapes_of("%u/7", 20, "x", 0).shape, SHAPE_PARTS);
    CHECK_INT(shapes_of("%u/7", 10, "1 %u/7", 10).shape, SHAPE_FRACTION);
    CHECK_INT(shapes_of("%uth", 20, "x", 0).shape, SHAPE_ORDINAL);
    CHECK_INT(shapes_of("<%u", 10, "> %u", 10).shape, SHAPE_BOUND);
}

static void numbers_with_units_are_durations_bytes_or_counts(void **state)
{
    struct shaped_words shaped = shapes_of("%uh 5m", 15, "%um", 15);
    (void)state;

    CHECK_INT(shaped.shape, SHAPE_DURATION);
    CHECK(shaped.is_hours);
    CHECK_INT(shaped.form.size, 0);
    CHECK(!shapes_of("%ud 5m", 15, "%um", 15).is_hours);
    CHECK(!shapes_of("%u months 5h", 15, "%um", 15).is_hours);
    CHECK_INT(shapes_of("%u kB", 15, "%u B", 15).family, UNITS_BYTES);
    CHECK_INT(shapes_of("%uk", 15, "%u B", 15).family, UNITS_COUNTS);
    CHECK_INT(shapes_of("%u kg", 15, "%u lb", 15).family, UNITS_OTHER);
    CHECK_INT(shapes_of("%u kg", 20, "%u lb", 1).shape, SHAPE_MEASURE);
    CHECK_INT(shapes_of("%u kg", 6, "%u lb", 5).shape, SHAPE_UNITS);
}

static void more_units_than_a_column_has_are_names(void **state)
{
    struct cell_census *census;
    struct error err;
    char word[16];
    (void)state;

    CHECK_OK(cell_census_new(1, NULL, &census, &err));
    for (uint32_t i = 0; i < 90; i++) {
        struct cell cell = {.type = CELL_TEXT};

        snprintf(word, sizeof word, "%u %c%c", i, (char)('a' + i % 9), (char)('a' + i % 9));
        cell.text = slice_of(word);
        CHECK_OK(cell_count(census, 0, &cell, &err));
    }
    CHECK_INT(word_shapes_of(&census->columns[0]).shape, SHAPE_NONE);
    cell_census_free(census);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_word_has_one_shape_or_none),
        cmocka_unit_test(nine_of_ten_words_make_the_shape_of_a_column),
        cmocka_unit_test(words_of_one_form_have_numbers_in_it),
        cmocka_unit_test(numbers_with_units_are_durations_bytes_or_counts),
        cmocka_unit_test(more_units_than_a_column_has_are_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
