#include "planner/notices/input_notices.h"
#include "planner/plan/column_kind.h"
#include "tests/check.h"

static const struct query whole = {.is_whole = true, .sample_rows = 1000};
static const struct query part = {.sample_rows = QUERY_SAMPLE_ROWS};

static void the_words_of_a_declared_type_are_found_in_either_case(void **state)
{
    static const char *const words[] = {"INT", "REAL", NULL};
    char type[101];
    (void)state;

    CHECK(type_declares(SLICE("bigint"), words));
    CHECK(type_declares(SLICE("My_Real{1}"), words));
    assert_false(type_declares(SLICE("text"), words));
    assert_false(type_declares(SLICE(""), words));
    memset(type, 'x', sizeof type);
    memcpy(type + 80, "INT", 3); /* behind the bytes that are looked at */
    assert_false(type_declares((struct slice){type, sizeof type}, words));
}

static void names_that_end_like_a_key_are_keys(void **state)
{
    static const char *const keys[] = {"id",          "Key", "ROWNUM",  "customer_id", "row_PK",
                                       "PassengerID", "zId", "orderId", "some_key"};
    static const char *const others[] = {"",    "_id",    "Id2", "xd",      "idx", "grid",
                                         "GID", "uuid_x", "1Id", "orderIX", "{Id", "ID_"};
    (void)state;

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!name_is_key(slice_of(keys[i])))
            check_failed("%s is no key", keys[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (name_is_key(slice_of(others[i])))
            check_failed("%s is a key", others[i]);
}

static void texts_are_read_as_what_they_all_are(void **state)
{
    struct query_column column = {.texts = 10, .boolean_texts = 9, .blank_texts = 1};
    (void)state;

    CHECK(column_reading(&column) == READING_BOOLEAN);
    CHECK_INT(column_words(&column), 0);
    column.texts = 11; /* and one word */
    CHECK(column_reading(&column) == READING_NUMBER);
    CHECK_INT(column_words(&column), 10);
    column = (struct query_column){.texts = 10, .boolean_texts = 9, .integers = 1};
    CHECK(column_reading(&column) == READING_NUMBER);
    column = (struct query_column){.texts = 10, .separated_texts = 1, .numeric_texts = 9};
    CHECK(column_reading(&column) == READING_SEPARATED);
}

/* The column that a census of these texts makes, each of them many times. */
static struct query_column column_of(const char *const *texts, size_t count)
{
    struct query_column column = {.name = SLICE("v")};
    struct cell_census *census;
    struct error err;

    CHECK_OK(cell_census_new(1, NULL, &census, &err));
    for (size_t i = 0; i < 20 * count; i++) {
        const struct cell cell = {.type = CELL_TEXT, .text = slice_of(texts[i % count])};

        CHECK_OK(cell_count(census, 0, &cell, &err));
    }
    query_column_take(&column, &census->columns[0], 20 * count);
    cell_census_free(census);
    return column;
}

#define TEXTS_MAX 4

static size_t count_of(const char *const *texts)
{
    size_t count = 0;

    while (count < TEXTS_MAX && texts[count])
        count++;
    return count;
}

static void numbers_are_read_by_the_writing_that_fits_them(void **state)
{
    static const struct {
        const char *texts[TEXTS_MAX];
        enum input_reading reading;
        uint32_t words;
        bool is_unclear;
    } cases[] = {
        {{"12", "1.5"}, READING_NUMBER, 0, false},
        {{"12", "1.234"}, READING_NUMBER, 0, true},
        {{"12", "1,234"}, READING_SEPARATED, 0, true},
        {{"12.5", "1,234"}, READING_SEPARATED, 0, false},
        {{"12,5", "1,234"}, READING_COMMA, 0, false},
        {{"12,5", "1.234"}, READING_COMMA, 0, false},
        {{"12,5", "12", ""}, READING_COMMA, 0, false},
        {{"12,5", "1.5", "2.5"}, READING_POINT, 20, false},
        {{"12,5", "13,5", "2.5"}, READING_COMMA, 20, false},
        {{"$5", "1,234"}, READING_POINT, 0, true},
        {{"$5", "7"}, READING_POINT, 0, false},
        {{"$5", "unknown", "yes"}, READING_POINT, 40, false},
        {{"12%", "1,5"}, READING_COMMA, 0, false},
        {{"red", "1/2/2024"}, READING_NUMBER, 40, false},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct query_column column = column_of(cases[i].texts, count_of(cases[i].texts));

        if (column_reading(&column) != cases[i].reading)
            check_failed("%s is read by %u", cases[i].texts[0], column_reading(&column));
        CHECK_INT(column_words(&column), cases[i].words);
        CHECK(column_is_unclear(&column) == cases[i].is_unclear);
        CHECK(column_is_numeric(&column) == (cases[i].words == 0));
    }
}

static void texts_that_are_one_number_each_are_no_list(void **state)
{
    static const struct {
        const char *texts[TEXTS_MAX];
        bool is_list;
    } cases[] = {{{"79,19", "80,5"}, false}, {{"1.234,50", "2.345,75"}, false},
                 {{"1,5", "2,0.5"}, true},   {{"1.5,2", "3,4"}, true},
                 {{"1,2,3", "4,5,6"}, true}, {{"1,234,567", "2,345,678"}, false}};
    struct cell_list list;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct query_column column = column_of(cases[i].texts, count_of(cases[i].texts));

        if (column_is_list_of_numbers(&column, &list) != cases[i].is_list)
            check_failed("%s", cases[i].texts[0]);
    }
}

static void dates_are_read_in_the_order_that_fits_them(void **state)
{
    static const struct {
        const char *texts[TEXTS_MAX];
        enum input_reading reading;
        uint32_t dates, unclear;
    } cases[] = {
        {{"2024-01-31", "2024-01-31 10:30"}, READING_NUMBER, 40, 0},
        {{"2024/01/31", "2024-01-31"}, READING_DATE, 40, 0},
        {{"04.03.2024", "3.3.2024"}, READING_DATE, 40, 0},
        {{"04.03.2024", "31.3.2024"}, READING_DAY_FIRST, 40, 0},
        {{"04.03.2024", "03.31.2024"}, READING_MONTH_FIRST, 40, 0},
        {{"04/03/2024", "3/4/2024"}, READING_NUMBER, 0, 40},
        {{"04/03/2024", "31/3/2024"}, READING_DAY_FIRST, 40, 0},
        {{"04/03/2024", "3/31/2024", "red"}, READING_MONTH_FIRST, 40, 0},
        {{"31/03/2024", "30/03/2024", "03/31/2024"}, READING_DAY_FIRST, 40, 0},
        {{"24/03/31", "24/03/30"}, READING_NUMBER, 0, 40},
        {{"3/31/24", "12/31/24"}, READING_MONTH_FIRST, 40, 0},
        {{"3/3/24", "4/4/24"}, READING_DAY_FIRST, 40, 0},
        {{"3/4/24", "4/3/24"}, READING_NUMBER, 0, 40},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct query_column column = column_of(cases[i].texts, count_of(cases[i].texts));

        if (column.date_reading != cases[i].reading && cases[i].unclear == 0)
            check_failed("%s is read by %u", cases[i].texts[0], column.date_reading);
        CHECK_INT(column.dates, cases[i].dates);
        CHECK_INT(column.unclear_dates, cases[i].unclear);
    }
}

static void the_most_frequent_word_is_known(void **state)
{
    static const char *const texts[] = {"unknown",    "12",    "1.5",    "79,19",
                                        "31.03.2024", "other", "unknown"};
    const struct query_column column = column_of(texts, sizeof texts / sizeof *texts);
    (void)state;

    CHECK_SLICE(((struct slice){column.word, column.word_size}), "unknown");
    CHECK_INT(column.word_cells, 40);
}

static void a_column_is_numeric_by_nearly_all_of_its_cells(void **state)
{
    static const struct {
        struct query_column column;
        bool is_numeric;
    } cases[] = {
        {{.reals = 95, .texts = 5}, true},
        {{.reals = 94, .texts = 6}, false},
        {{.reals = 999, .texts = 1, .code_texts = 1}, true},
        {{.reals = 998, .texts = 2, .code_texts = 2}, false},
        {{.reals = 99, .blobs = 1}, false},
        {{.declared_type = SLICE("double precision"), .nulls = 3}, true},
        {{.declared_type = SLICE("varchar"), .nulls = 3}, false},
        {{.declared_type = SLICE("integer"), .texts = 3, .blank_texts = 3}, true},
        {{.declared_type = SLICE("integer"), .texts = 3, .missing_texts = 3}, false},
        {{.texts = 3}, false},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (column_is_numeric(&cases[i].column) != cases[i].is_numeric)
            check_failed("case %zu is taken for %s", i, cases[i].is_numeric ? "words" : "numeric");
}

/* So many words, of so many bytes and so many with white space, and how many are different. */
static struct query_column words(uint32_t count, uint64_t bytes, uint32_t spaced,
                                 uint64_t different)
{
    return (struct query_column){
        .name = SLICE("note"),
        .texts = count,
        .word_bytes = count * bytes,
        .spaced_texts = spaced,
        .distinct_cells = count,
        .distinct_values = different,
    };
}

static void words_that_differ_are_left_out(void **state)
{
    const struct {
        struct query_column column;
        enum column_use of_whole, of_part;
    } cases[] = {
        {words(100, 10, 0, 100), COLUMN_KEY_TEXT, COLUMN_KEY_TEXT},
        {words(99, 10, 0, 99), COLUMN_USED, COLUMN_USED}, /* few may differ by chance */
        {words(100, 10, 0, 95), COLUMN_KEY_TEXT, COLUMN_USED},
        {words(100, 10, 0, 94), COLUMN_USED, COLUMN_USED},
        {words(100, 64, 0, 100), COLUMN_KEY_TEXT, COLUMN_KEY_TEXT},
        {words(100, 65, 0, 100), COLUMN_USED, COLUMN_USED}, /* too long for a key */
        {words(100, 10, 51, 100), COLUMN_FREE_TEXT, COLUMN_FREE_TEXT},
        {words(100, 40, 51, 51), COLUMN_FREE_TEXT, COLUMN_FREE_TEXT},
        {words(100, 40, 51, 50), COLUMN_USED, COLUMN_USED},
        {words(100, 39, 51, 51), COLUMN_USED, COLUMN_USED},
        {words(100, 40, 50, 51), COLUMN_USED, COLUMN_USED},
    };
    struct query_column column = words(100, 10, 0, 100);
    const struct query little = {.sample_rows = QUERY_SAMPLE_ROWS - 1};
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (column_use_of(&whole, &cases[i].column) != cases[i].of_whole ||
            column_use_of(&part, &cases[i].column) != cases[i].of_part)
            check_failed("case %zu is of another use", i);
    CHECK(column_use_of(&little, &cases[2].column) == COLUMN_KEY_TEXT); /* it is all rows */
    column.distinct_cells = column.distinct_values = 0;                 /* they were not counted */
    CHECK(column_use_of(&whole, &column) == COLUMN_USED);
    column = words(100, 10, 0, 100), column.dates = 51;
    CHECK(column_use_of(&whole, &column) == COLUMN_USED);
    column.dates = 50;
    CHECK(column_use_of(&whole, &column) == COLUMN_KEY_TEXT);
}

static void whole_numbers_that_differ_are_a_key_by_their_name(void **state)
{
    const struct query_column key = {.name = SLICE("orderId"),
                                     .integers = 60,
                                     .texts = 40,
                                     .numeric_texts = 40,
                                     .whole_texts = 40,
                                     .distinct_cells = 100,
                                     .distinct_values = 100};
    struct query_column other;
    (void)state;

    CHECK(column_use_of(&whole, &key) == COLUMN_KEY);
    other = key, other.name = SLICE("amount");
    CHECK(column_use_of(&whole, &other) == COLUMN_USED);
    other = key, other.reals = 1; /* 1.5 is no key */
    CHECK(column_use_of(&whole, &other) == COLUMN_USED);
    other = key, other.integers = 59;
    CHECK(column_use_of(&whole, &other) == COLUMN_USED);
    other = key, other.distinct_values = 99;
    CHECK(column_use_of(&whole, &other) == COLUMN_USED);
    other = key, other.vectors = 1;
    CHECK(column_use_of(&whole, &other) == COLUMN_USED);
    other = (struct query_column){.name = SLICE("id"), .texts = 3, .missing_texts = 3};
    CHECK(column_use_of(&whole, &other) == COLUMN_USED);
}

static void what_a_census_counted_is_taken_over(void **state)
{
    struct cell_counts counts = {.nulls = 3, .integers = (uint64_t)UINT32_MAX + 7, .dates = 2};
    struct query_column column = {.name = SLICE("a")};
    (void)state;

    counts.times = 1;
    counts.texts[TEXT_NUMBER] = 10;
    counts.texts[TEXT_BLANK] = 11;
    counts.texts[TEXT_CODE] = 12;
    counts.texts[TEXT_SEPARATED] = 13;
    counts.texts[TEXT_MISSING] = 14;
    counts.texts[TEXT_BOOLEAN] = 15;
    counts.texts[TEXT_DATE] = 16;
    counts.texts[TEXT_TIMESTAMP] = 17;
    counts.texts[TEXT_WORD] = 18;
    counts.missing[4] = 14;
    counts.word_bytes = 90;
    counts.spaced = 5;
    query_column_take(&column, &counts, counts.integers + 3 + 126 + 20);
    CHECK_SLICE(column.name, "a");
    CHECK(column.integers == UINT32_MAX); /* the most that it can say */
    CHECK_INT(column.nulls, 3);
    CHECK_INT(column.texts, 126);
    CHECK_INT(column.reals, 20); /* the rest of the rows */
    CHECK_INT(column.separated_texts, 13);
    CHECK_INT(column.dates, 2 + 16 + 17);
    CHECK_INT(column.times, 1 + 17);
    CHECK_INT(column.missing[4], 14);
    CHECK_INT(column.missing[5], 0);
    CHECK_INT(column.spaced_texts, 5);
    CHECK_INT(column.distinct_cells, 0);
}

static struct query_column noticed[] = {
    {.name = SLICE("a"),
     .reals = 450,
     .texts = 50,
     .missing_texts = 50,
     .missing = {1, 17, 3, 9, [8] = 12, [9] = 8}},
    {.name = SLICE("b"), .reals = 499, .texts = 1, .missing_texts = 1, .missing = {[8] = 1}},
    {.name = SLICE("yes"), .texts = 500, .boolean_texts = 500},
    {.name = SLICE("sum"), .texts = 500, .separated_texts = 400, .numeric_texts = 100},
    {.name = SLICE("word"), .texts = 500, .missing_texts = 3},
};

static void notices_say_how_cells_were_read(void **state)
{
    struct notice_list notices = {0};
    struct plan_input inputs[] = {
        {.spec.type = INPUT_NUMERIC, .column = 0},
        {.spec.type = INPUT_NUMERIC, .column = 1},
        {.spec.type = INPUT_NUMERIC, .column = 2, .spec.reading = READING_BOOLEAN},
        {.spec.type = INPUT_NUMERIC, .column = 3, .spec.reading = READING_SEPARATED},
        {.spec.type = INPUT_CATEGORY, .column = 4},
        {.spec.type = INPUT_NUMERIC, .column = 5}, /* an element of a vector */
    };
    const struct plan plan = {
        .query = {.columns = noticed, .count = 5, .sample_rows = 500, .is_whole = true},
        .inputs = inputs,
        .input_count = 6,
        .label_column = -1,
        .notices = &notices,
    };
    struct error err;
    (void)state;

    CHECK_OK(input_notices(&plan, &err));
    CHECK_INT(notices.count, 4);
    assert_string_equal(notices.items[0].text,
                        "column \"a\": of 500 rows 50 are read as NULL: 'n/a' 17, '?' 12, "
                        "'#n/a' 9, '-' 8 and others");
    assert_string_equal(notices.items[1].text,
                        "column \"b\": of 500 rows 1 is read as NULL: '?' 1");
    CHECK(notices.items[2].kind == NOTICE_READING);
    CHECK(strstr(notices.items[2].text, "is read as 1 for yes"));
    CHECK(strstr(notices.items[3].text, "a comma between thousands, in 400 rows"));
    assert_string_equal(notices.items[3].hint, "COLUMN VOCABULARY(sum) reads it as words.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_words_of_a_declared_type_are_found_in_either_case),
        cmocka_unit_test(names_that_end_like_a_key_are_keys),
        cmocka_unit_test(texts_are_read_as_what_they_all_are),
        cmocka_unit_test(numbers_are_read_by_the_writing_that_fits_them),
        cmocka_unit_test(texts_that_are_one_number_each_are_no_list),
        cmocka_unit_test(dates_are_read_in_the_order_that_fits_them),
        cmocka_unit_test(the_most_frequent_word_is_known),
        cmocka_unit_test(a_column_is_numeric_by_nearly_all_of_its_cells),
        cmocka_unit_test(words_that_differ_are_left_out),
        cmocka_unit_test(whole_numbers_that_differ_are_a_key_by_their_name),
        cmocka_unit_test(what_a_census_counted_is_taken_over),
        cmocka_unit_test(notices_say_how_cells_were_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
