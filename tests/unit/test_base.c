#include "tests/check.h"

#include <errno.h>
#include <math.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/cell_bytes.h"
#include "base/json.h"
#include "base/name_list.h"
#include "base/random.h"

static void a_text_refuses_to_grow_beyond_its_maximum_and_remembers(void **state)
{
    struct text text;
    (void)state;

    text_init(&text, 8);
    text_append_string(&text, "12345678");
    CHECK(!text.failed);
    text_append_char(&text, '9');
    CHECK(text.failed);
    text_append(&text, (struct slice){NULL, 0});
    CHECK(text.failed);
    CHECK_SLICE(text_slice(&text), "12345678");
    text_clear(&text);
    text_append_string(&text, "1");
    CHECK(!text.failed);
    text_deinit(&text);
}

static void an_unused_text_is_the_empty_string(void **state)
{
    struct text text;
    (void)state;

    text_init(&text, 8);
    assert_string_equal(text_string(&text), "");
    text_append_string(&text, "");
    assert_string_equal(text_string(&text), "");
    text_deinit(&text);
}

static void a_prefix_ends_with_a_whole_character(void **state)
{
    const struct slice word = SLICE("a\xD1\x8F\xE2\x82\xAC"); /* characters of 1, 2 and 3 bytes */
    static const size_t sizes[] = {0, 1, 1, 3, 3, 3, 6, 6};
    (void)state;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char copy[8];

        assert_int_equal(slice_prefix(word, i).size, sizes[i]);
        slice_copy(word, copy, i + 1);
        assert_int_equal(strlen(copy), sizes[i]);
        assert_memory_equal(copy, word.data, sizes[i]);
    }
    assert_int_equal(slice_prefix((struct slice){NULL, 0}, 3).size, 0);
}

static void quoting_doubles_the_quotes(void **state)
{
    struct text text;
    (void)state;

    text_init(&text, TEXT_MAXIMUM);
    text_append_identifier(&text, SLICE("a\"b"));
    text_append_literal(&text, SLICE("it's"));
    CHECK_SLICE(text_slice(&text), "\"a\"\"b\"'it''s'");
    text_deinit(&text);
}

static void names_are_quoted_where_a_statement_needs_it(void **state)
{
    char size[301];
    (void)state;

    assert_string_equal(SQL_NAME(SLICE("plain_1")), "plain_1");
    assert_string_equal(SQL_NAME(SLICE("Zip code")), "\"Zip code\"");
    assert_string_equal(SQL_NAME(SLICE("1st")), "\"1st\"");
    assert_string_equal(SQL_NAME(SLICE("a\"b")), "\"a\"\"b\"");
    assert_string_equal(SQL_NAME_WITH(SLICE("v"), "_1"), "v_1");
    assert_string_equal(SQL_NAME_WITH(SLICE("V"), "_1"), "\"V_1\"");
    assert_string_equal(SQL_TEXT(SLICE("it's")), "'it''s'");
    memset(size, '"', sizeof size);
    assert_true(strlen(SQL_NAME(((struct slice){size, sizeof size}))) < SQL_NAME_BYTES);
}

static void a_real_prints_as_the_shortest_decimal_that_reads_back(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.1, "0.1"},
                 {1.0 / 3, "0.3333333333333333"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {1e300, "1e+300"},
                 {-0.0, "-0"},
                 {123456789, "123456789"}};
    struct text text;
    (void)state;

    text_init(&text, TEXT_MAXIMUM);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text_clear(&text);
        text_append_real(&text, cases[i].value);
        CHECK_SLICE(text_slice(&text), cases[i].text);
    }
    text_deinit(&text);
}

static void a_real_for_people_has_five_digits(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {1, "1"},
                 {-0.1, "-0.1"},
                 {2.0 / 3, "0.66667"},
                 {9.999996, "10"},
                 {352063.5107727087, "352064"},
                 {123456789.25, "123456789"},
                 {5.25, "5.25"},
                 {-48.137154, "-48.137"},
                 {0.000123456, "0.00012346"},
                 {0.0000123456, "1.2346e-05"},
                 {1.25e15, "1.25e+15"},
                 {-1e300, "-1e+300"}};
    struct text text;
    (void)state;

    text_init(&text, TEXT_MAXIMUM);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text_clear(&text);
        text_append_rounded(&text, cases[i].value);
        CHECK_SLICE(text_slice(&text), cases[i].text);
    }
    text_deinit(&text);
}

static void numbers_are_read_whole_or_not_at_all(void **state)
{
    double real;
    int64_t integer;
    (void)state;

    CHECK(slice_to_real(SLICE(" -1.5e3 "), &real) && real == -1500);
    CHECK(slice_to_integer(SLICE("9223372036854775807"), &integer) && integer == INT64_MAX);
    CHECK(slice_to_integer(SLICE("-9223372036854775808"), &integer) && integer == INT64_MIN);
    CHECK(!slice_to_integer(SLICE("9223372036854775808"), &integer));
    CHECK(!slice_to_integer(SLICE("1.0"), &integer));
    CHECK(!slice_to_real(SLICE("12abc"), &real));
    CHECK(!slice_to_real(SLICE(""), &real));
    CHECK(!slice_to_real(SLICE("-"), &real));
    CHECK(!slice_to_real(SLICE("inf"), &real));
    CHECK(!slice_to_real(SLICE("nan"), &real));
    CHECK(!slice_to_real(SLICE("0x10"), &real));
}

static void the_nearest_word_is_found_and_a_far_one_is_not(void **state)
{
    static const char *const words[] = {"model.hidden_units", "train.epoch", "train.seed"};
    (void)state;

    CHECK_INT(text_nearest(SLICE("model.hiden_units"), words, 3), 0);
    CHECK_INT(text_nearest(SLICE("TRAIN.EPOHC"), words, 3), 1);
    CHECK_INT(text_nearest(SLICE("banana"), words, 3), -1);
    CHECK_INT(text_nearest(SLICE(""), words, 3), -1);
}

static void slices_compare_as_bytes_with_a_prefix_first(void **state)
{
    (void)state;

    CHECK(slice_compare(SLICE("ab"), SLICE("abc")) < 0);
    CHECK(slice_compare(SLICE("b"), SLICE("abc")) > 0);
    CHECK(slice_compare(SLICE("\xff"), SLICE("a")) > 0);
    CHECK(slice_equal_fold(SLICE("Train"), SLICE("tRAIN")));
    CHECK(!slice_equal_fold(SLICE("\xc3\x84"), SLICE("\xc3\xa4")));
}

/* Both are the arena's, are zero, and go with it. */
static void large_allocations_of_an_arena_with_a_folder_lie_in_files(void **state)
{
    struct arena arena;
    char *large, *small;
    (void)state;

    arena_init(&arena, 3 * ARENA_FILE_BYTES);
    arena_use_folder(&arena, "/tmp");
    large = arena_alloc(&arena, ARENA_FILE_BYTES);
    small = arena_alloc(&arena, 100);
    assert_non_null(large);
    assert_non_null(small);
    assert_non_null(arena.files);
    CHECK_INT(large[ARENA_FILE_BYTES - 1], 0);
    large[ARENA_FILE_BYTES - 1] = small[99] = 1;
    CHECK(!arena_alloc(&arena, 2 * ARENA_FILE_BYTES)); /* the maximum is of both */
    arena_use_folder(&arena, "/tmp/no/such/folder");
    assert_non_null(arena_alloc(&arena, ARENA_FILE_BYTES)); /* in memory */
    arena_deinit(&arena);
    CHECK(arena.files == NULL && arena.used == 0);
}

static void an_arena_refuses_what_does_not_fit_under_its_maximum(void **state)
{
    struct arena arena;
    char *bytes;
    (void)state;

    arena_init(&arena, 1000);
    CHECK(arena_alloc(&arena, 0));
    bytes = arena_alloc(&arena, 900);
    CHECK(bytes && bytes[0] == 0 && bytes[899] == 0);
    CHECK(!arena_alloc(&arena, 200));
    CHECK(arena_alloc(&arena, 10));
    CHECK(!ARENA_NEW(&arena, uint64_t, SIZE_MAX / 4));
    arena_deinit(&arena);
    CHECK(arena_alloc(&arena, 900));
    arena_deinit(&arena);
}

static void arena_memory_is_aligned_and_distinct(void **state)
{
    struct arena arena;
    char *last = NULL;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    for (size_t size = 1; size < 30000; size = size * 2 + 1) {
        char *bytes = arena_alloc(&arena, size);
        CHECK(bytes && bytes != last);
        CHECK((uintptr_t)bytes % _Alignof(max_align_t) == 0);
        memset(bytes, 0xAA, size);
        last = bytes;
    }
    CHECK_SLICE(arena_printf(&arena, "%d-%s", 7, "x"), "7-x");
    arena_deinit(&arena);
}

static void a_byte_reader_never_runs_past_its_end(void **state)
{
    struct text text;
    struct byte_reader reader;
    (void)state;

    text_init(&text, TEXT_MAXIMUM);
    put_u8(&text, 7);
    put_i64(&text, -5);
    put_f64(&text, 0.25);
    put_sized(&text, SLICE("abc"));
    for (size_t size = 0; size <= text.size; size++) {
        reader = byte_reader_over((struct slice){text.data, size});
        bool whole = read_u8(&reader) == 7;
        whole &= read_i64(&reader) == -5;
        whole &= read_f64(&reader) == 0.25;
        whole &= slice_is(read_sized(&reader, 3), "abc");
        CHECK((whole && reader_is_done(&reader)) == (size == text.size));
    }
    reader = byte_reader_over(text_slice(&text));
    read_bytes(&reader, 17);
    read_sized(&reader, 2);
    CHECK(reader.failed);
    text_deinit(&text);
}

static void json_is_refused_when_too_large_or_too_deep_or_followed_by_more(void **state)
{
    char deep[200];
    struct error err;
    cJSON *json;
    (void)state;

    CHECK_FAILS(json_parse(SLICE("{\"a\":1}"), 4, &json, &err), STATUS_CORRUPT, "7 bytes");
    memset(deep, '[', 100);
    memset(deep + 100, ']', 100);
    CHECK_FAILS(json_parse((struct slice){deep, 200}, JSON_BYTES_MAX, &json, &err), STATUS_CORRUPT,
                "deeper");
    CHECK_FAILS(json_parse(SLICE("{} x"), JSON_BYTES_MAX, &json, &err), STATUS_CORRUPT,
                "other text");
    CHECK_FAILS(json_parse(SLICE(""), JSON_BYTES_MAX, &json, &err), STATUS_CORRUPT, "no JSON");
    CHECK_FAILS(json_parse((struct slice){NULL, 0}, JSON_BYTES_MAX, &json, &err), STATUS_CORRUPT,
                "no JSON");
    CHECK(!json);
}

static void json_strings_with_a_zero_byte_are_refused_rather_than_cut(void **state)
{
    static const char byte[] = "{\"a\": \"x\0y\"}";
    struct error err;
    cJSON *json;
    (void)state;

    CHECK_FAILS(json_parse(SLICE("{\"a\": \"x\\u0000y\"}"), 100, &json, &err), STATUS_CORRUPT,
                "zero byte");
    CHECK_FAILS(json_parse(SLICE("{\"x\\u0000\": 1}"), 100, &json, &err), STATUS_CORRUPT,
                "zero byte");
    CHECK_FAILS(json_parse((struct slice){byte, sizeof byte - 1}, 100, &json, &err), STATUS_CORRUPT,
                "zero byte");
    CHECK(!json);
    CHECK_OK(json_parse(SLICE("{\"a\": \"x\\\\u0000y\"}"), 100, &json, &err));
    cJSON_Delete(json);
}

static void json_keeps_large_integers_and_exact_reals(void **state)
{
    cJSON *json = cJSON_CreateObject();
    struct error err;
    struct text text;
    const double reals[] = {1e300, 1.0 / 3};
    double real, found[2];
    int64_t integer;
    (void)state;

    text_init(&text, TEXT_MAXIMUM);
    json_add_integer(json, "i", INT64_MAX);
    json_add_integer(json, "e", INT64_C(9007199254740992));
    json_add_real(json, "r", 0.1 + 0.2);
    json_add_reals(json, "rs", reals, 2);
    CHECK_OK(json_print(json, false, &text, &err));
    cJSON_Delete(json);
    CHECK_OK(json_parse(text_slice(&text), JSON_BYTES_MAX, &json, &err));
    CHECK_OK(json_get_integer(json, "i", 0, INT64_MAX, &integer, &err));
    CHECK(integer == INT64_MAX);
    CHECK_OK(json_get_integer(json, "e", 0, INT64_MAX, &integer, &err));
    CHECK(integer == INT64_C(9007199254740992));
    CHECK_OK(json_get_real(json, "r", &real, &err));
    CHECK(real == 0.1 + 0.2);
    CHECK_OK(json_get_reals(json, "rs", 2, found, &err));
    CHECK(found[0] == reals[0] && found[1] == reals[1]);
    CHECK_FAILS(json_get_integer(json, "i", 0, 10, &integer, &err), STATUS_CORRUPT,
                "member \"i\": expected an integer from 0 to 10");
    CHECK_FAILS(json_get_integer(json, "r", 0, 10, &integer, &err), STATUS_CORRUPT, "\"r\"");
    cJSON_Delete(json);
    text_deinit(&text);
}

static void random_numbers_are_a_function_of_their_key(void **state)
{
    double sum = 0;
    (void)state;

    /* Recorded once: a change here changes every model. */
    CHECK(random_bits(0, RANDOM_ORDER, 0, 0) == UINT64_C(0xA65EDA5036EEE9FB));
    for (uint64_t i = 0; i < 10000; i++) {
        double u = random_uniform(1, RANDOM_INITIAL, 2, i);
        CHECK(u >= 0 && u < 1);
        sum += u;
    }
    CHECK(sum > 4900 && sum < 5100);
    CHECK(random_bits(1, RANDOM_ORDER, 2, 3) != random_bits(1, RANDOM_INITIAL, 2, 3));
    CHECK(random_bits(1, RANDOM_ORDER, 2, 3) != random_bits(2, RANDOM_ORDER, 1, 3));
}

static enum status fails_with_hint(struct error *err)
{
    fail_at(err, STATUS_INVALID, 49, "label column \"%s\" is not there", "churned");
    return error_hint(err, "The query has id, age.");
}

static void an_error_is_shown_with_its_line_caret_and_hint(void **state)
{
    struct error err;
    struct text out;
    (void)state;

    text_init(&out, TEXT_MAXIMUM);
    CHECK_INT(fails_with_hint(&err), STATUS_INVALID);
    error_render(
        &err, SLICE("SELECT 1;\nSELECT * FROM churn TO TRAIN Linear LABEL churned INTO m;"), &out);
    assert_string_equal(text_string(&out),
                        "ERROR:  label column \"churned\" is not there\n"
                        "LINE 2: SELECT * FROM churn TO TRAIN Linear LABEL churned INTO m;\n"
                        "                                               ^\n"
                        "HINT:  The query has id, age.\n");
    text_deinit(&out);
}

static void a_style_goes_around_the_label_message_caret_and_hint(void **state)
{
    static const struct error_style style = {"<label>", "<message>", "<caret>", "<hint>", "</>"};
    struct error err;
    struct text out;
    (void)state;

    text_init(&out, TEXT_MAXIMUM);
    fail_at(&err, STATUS_SYNTAX, 2, "no");
    error_hint(&err, "%s", "Do \x1b[2J.");
    error_render_styled(&err, SLICE("abc"), &style, &out);
    assert_string_equal(text_string(&out), "<label>ERROR:</>  <message>no</>\n"
                                           "LINE 1: abc\n"
                                           "          <caret>^</>\n"
                                           "<hint>HINT:</>  Do ?[2J.\n");
    text_deinit(&out);
}

static void a_long_line_is_cut_and_the_caret_counts_characters(void **state)
{
    struct error err;
    struct text sql, out;
    const char *caret, *line;
    (void)state;

    text_init(&sql, TEXT_MAXIMUM);
    text_init(&out, TEXT_MAXIMUM);
    for (int i = 0; i < 200; i++)
        text_append_string(&sql, "\xc3\xa4"); /* a umlaut: two bytes, one character */
    text_append_string(&sql, "X");
    fail_at(&err, STATUS_SYNTAX, 400, "no");
    error_render(&err, text_slice(&sql), &out);
    line = strstr(text_string(&out), "LINE 1: ...");
    CHECK(line);
    caret = strchr(line, '\n') + 1;
    /* 8 for the heading, 3 dots, 30 characters of context */
    CHECK_INT(strcspn(caret, "^"), 8 + 3 + 30);
    text_deinit(&sql);
    text_deinit(&out);
}

static void a_position_outside_of_the_text_shows_no_line(void **state)
{
    struct error err;
    struct text out;
    (void)state;

    text_init(&out, TEXT_MAXIMUM);
    fail_at(&err, STATUS_SYNTAX, 99, "no");
    error_render(&err, SLICE("abc"), &out);
    assert_string_equal(text_string(&out), "ERROR:  no\n");
    text_deinit(&out);
}

static void control_characters_never_reach_the_terminal(void **state)
{
    struct error err;
    struct text out;
    (void)state;

    text_init(&out, TEXT_MAXIMUM);
    fail_at(&err, STATUS_SYNTAX, 2, "found \"%s\"", "\x1b[2J");
    error_render(&err, (struct slice){"a\0\x1b[2J", 6}, &out);
    assert_string_equal(text_string(&out), "ERROR:  found \"?[2J\"\n"
                                           "LINE 1: a??[2J\n"
                                           "          ^\n");
    text_deinit(&out);
}

static void an_error_from_errno_names_the_reason(void **state)
{
    struct error err;
    (void)state;

    errno = ENOSPC;
    CHECK_FAILS(fail_errno(&err, STATUS_IO, "cannot write %s", "x"), STATUS_IO,
                "cannot write x: No space left on device");
}

/* A database refuses text with a part of a character, and shows its own error for ours. */
static void an_error_of_another_process_has_a_status_that_exists(void **state)
{
    struct error err;
    (void)state;

    error_restore(&err, STATUS_NO_MEMORY, SLICE("100% full"), SLICE("%s"));
    CHECK_INT(err.status, STATUS_NO_MEMORY);
    assert_string_equal(err.message, "100% full");
    assert_string_equal(err.hint, "%s");
    error_restore(&err, STATUS_INTERRUPTED, SLICE("x"), SLICE(""));
    CHECK_INT(err.status, STATUS_INTERRUPTED);
    assert_string_equal(err.hint, "");
    error_restore(&err, STATUS_OK, SLICE("x"), SLICE(""));
    CHECK_INT(err.status, STATUS_FAILED);
    error_restore(&err, STATUS_INTERRUPTED + 1, SLICE("x"), SLICE(""));
    CHECK_INT(err.status, STATUS_FAILED);
    error_restore(&err, UINT32_MAX, SLICE("x"), SLICE(""));
    CHECK_INT(err.status, STATUS_FAILED);
}

static void an_error_that_is_too_long_is_cut_between_characters(void **state)
{
    char word[2 * sizeof((struct error *)0)->message + 1] = "";
    struct error err;
    (void)state;

    for (size_t i = 0; i + 2 < sizeof word; i += 2)
        memcpy(word + i, "\xD1\x8F", 2);
    for (int pad = 0; pad < 2; pad++) {
        const size_t room = sizeof err.message - 1;
        const size_t whole = room - (room - (size_t)pad) % 2;

        fail(&err, STATUS_INVALID, "%.*s%s", pad, "-", word);
        assert_int_equal(strlen(err.message), whole);
        error_hint(&err, "%.*s%s", pad, "-", word);
        assert_int_equal(strlen(err.hint), whole);
        fail(&err, STATUS_INVALID, "%.*s%s", pad, "-", err.message); /* its own text */
        CHECK(strlen(err.message) <= room);
    }
}

static void cells_travel_to_the_last_bit_and_nothing_else_is_read(void **state)
{
    const struct cell cells[] = {
        {.type = CELL_NULL},
        {.type = CELL_INTEGER, .integer = INT64_MIN},
        {.type = CELL_INTEGER, .time = CELL_DAYS, .integer = -1},
        {.type = CELL_REAL, .time = CELL_SECONDS, .real = 0.5},
        {.type = CELL_REAL, .real = -0.0},
        {.type = CELL_TEXT, .text = SLICE("a\0b")},
        {.type = CELL_BLOB, .text = SLICE("")},
        {.type = CELL_VECTOR, .integer = VECTOR_HAS_NULLS, .text = SLICE("")},
        {.type = CELL_VECTOR, .text = SLICE("8 bytes ")},
    };
    struct byte_reader reader;
    struct text bytes;
    struct cell cell;
    (void)state;

    text_init(&bytes, TEXT_MAXIMUM);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        cell_put(&bytes, &cells[i]);
    reader = byte_reader_over(text_slice(&bytes));
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        cell_read(&reader, &cell);
        CHECK_INT(cell.type, cells[i].type);
        CHECK_INT(cell.time, cells[i].time);
        CHECK_INT(cell.integer, cells[i].integer);
        CHECK(signbit(cell.real) == signbit(cells[i].real));
        CHECK(slice_equal(cell.text, cells[i].text));
    }
    CHECK(reader_is_done(&reader));
    /* No type, a time of a NULL and of a text, no time. */
    for (const char *refused = "\6\x10\x23\x31"; *refused; refused++) {
        reader = byte_reader_over((struct slice){refused, 1});
        cell_read(&reader, &cell);
        CHECK(reader.failed && cell.type == CELL_NULL);
    }
    text_deinit(&bytes);
}

static void names_between_commas_may_be_in_quotes(void **state)
{
    static const char *const names[] = {"age", "price, net", "a \"b\"", "plan", " x"};
    struct slice rest = SLICE(" age ,\"price, net\", \"a \"\"b\"\"\" , plan,\" x\"");
    struct arena arena;
    struct slice name;
    struct error err;
    struct text list;
    (void)state;

    arena_init(&arena, 1 << 20);
    text_init(&list, 1 << 20);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CHECK_OK(name_list_next(&rest, &arena, &name, &err));
        CHECK(slice_is(name, names[i]));
        name_list_append(&list, name);
    }
    CHECK_INT(rest.size, 0);
    assert_string_equal(text_string(&list), "age, \"price, net\", a \"b\", plan, \" x\"");
    rest = SLICE("\"age");
    CHECK_FAILS(name_list_next(&rest, &arena, &name, &err), STATUS_INVALID,
                "a double quote is not closed in \"age");
    rest = SLICE("\"age\" plan, x");
    CHECK_FAILS(name_list_next(&rest, &arena, &name, &err), STATUS_INVALID,
                "a comma is missing behind \"age\"");
    text_deinit(&list);
    arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_between_commas_may_be_in_quotes),
        cmocka_unit_test(a_text_refuses_to_grow_beyond_its_maximum_and_remembers),
        cmocka_unit_test(an_unused_text_is_the_empty_string),
        cmocka_unit_test(a_prefix_ends_with_a_whole_character),
        cmocka_unit_test(quoting_doubles_the_quotes),
        cmocka_unit_test(names_are_quoted_where_a_statement_needs_it),
        cmocka_unit_test(a_real_prints_as_the_shortest_decimal_that_reads_back),
        cmocka_unit_test(a_real_for_people_has_five_digits),
        cmocka_unit_test(numbers_are_read_whole_or_not_at_all),
        cmocka_unit_test(the_nearest_word_is_found_and_a_far_one_is_not),
        cmocka_unit_test(slices_compare_as_bytes_with_a_prefix_first),
        cmocka_unit_test(large_allocations_of_an_arena_with_a_folder_lie_in_files),
        cmocka_unit_test(an_arena_refuses_what_does_not_fit_under_its_maximum),
        cmocka_unit_test(arena_memory_is_aligned_and_distinct),
        cmocka_unit_test(a_byte_reader_never_runs_past_its_end),
        cmocka_unit_test(json_is_refused_when_too_large_or_too_deep_or_followed_by_more),
        cmocka_unit_test(json_strings_with_a_zero_byte_are_refused_rather_than_cut),
        cmocka_unit_test(json_keeps_large_integers_and_exact_reals),
        cmocka_unit_test(random_numbers_are_a_function_of_their_key),
        cmocka_unit_test(an_error_is_shown_with_its_line_caret_and_hint),
        cmocka_unit_test(a_style_goes_around_the_label_message_caret_and_hint),
        cmocka_unit_test(a_long_line_is_cut_and_the_caret_counts_characters),
        cmocka_unit_test(a_position_outside_of_the_text_shows_no_line),
        cmocka_unit_test(control_characters_never_reach_the_terminal),
        cmocka_unit_test(an_error_from_errno_names_the_reason),
        cmocka_unit_test(an_error_of_another_process_has_a_status_that_exists),
        cmocka_unit_test(an_error_that_is_too_long_is_cut_between_characters),
        cmocka_unit_test(cells_travel_to_the_last_bit_and_nothing_else_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
