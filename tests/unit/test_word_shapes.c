#include "tests/check.h"

#include <stdio.h>
#include <string.h>

#include "scoring/word_shapes.h"

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
        {"4:30 xm", SHAPE_NONE, ""},
        {"123:45", SHAPE_NONE, ""},
        {"4:5", SHAPE_NONE, ""},
        {":45", SHAPE_NONE, ""},
        {"10;17", SHAPE_NONE, ""},
        {"06. August 2022", SHAPE_DATE, ""},
        {"2019-W12", SHAPE_DATE, ""},
        {"2022-10", SHAPE_DATE, ""},
        {"2022-10-11 12:30:15", SHAPE_DATE, ""},
        {"10-1022", SHAPE_NONE, ""},
        {"10-2922", SHAPE_NONE, ""},
        {"2022", SHAPE_NONE, ""},
        {"2022 2023 1", SHAPE_NONE, ""},
        {"2022-100", SHAPE_NONE, ""},
        {"1 2 3 4 5 6 2022", SHAPE_NONE, ""},
        {"on the 6th of a month that has a long name 2022", SHAPE_NONE, ""},
        {"\"12.5\"", SHAPE_QUOTED, ""},
        {"'12'", SHAPE_QUOTED, ""},
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

        if (word_shape_of(slice_of(cases[i].word), &unit) != cases[i].shape)
            check_failed("'%s' has another shape", cases[i].word);
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
    CHECK_INT(shapes_of("%u kg", 15, "%u g", 15).shape, SHAPE_NONE); /* no one unit */
    CHECK_INT(shapes_of("%u kg", 9, "x%u", 0).shape, SHAPE_NONE);    /* too few */
    CHECK_INT(shapes_of("10:%u", 20, "x%u", 0).shape, SHAPE_TIME);
    CHECK_INT(shapes_of("2019-W%u", 20, "x%u", 0).shape, SHAPE_DATE);
    CHECK_INT(shapes_of("'%u'", 20, "x%u", 0).shape, SHAPE_QUOTED);
    CHECK_INT(shapes_of("w%u", 20, "x%u", 0).shape, SHAPE_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_word_has_one_shape_or_none),
        cmocka_unit_test(nine_of_ten_words_make_the_shape_of_a_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
