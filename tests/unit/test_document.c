/* JSON and UBJSON as one tree of values. */
#include <math.h>
#include <stdlib.h>

#include "interop/documents/document_json.h"
#include "interop/documents/document_ubj.h"
#include "interop/documents/document_write.h"
#include "tests/check.h"

static enum status read_json(const char *json, struct arena *arena, struct value *value,
                             struct error *err)
{
    arena_init(arena, 1 << 20);
    return document_read_json(slice_of(json), NULL, arena, value, err);
}

static void json_of_every_kind_is_read(void **state)
{
    const struct value *found;
    struct value value;
    struct slice text;
    struct arena arena;
    struct error err;
    int64_t integer;

    (void)state;
    CHECK_OK(
        read_json(" {\"n\":null, \"t\" : true,\"x\":-1.5e3,\"s\":\"a\\n\\u00fc\\ud83d\\ude00\\\"\","
                  "\"numbers\":[1, NaN,-Infinity ,false,Infinity], \"none\":[],\"deep\":[[1],{}],"
                  "\"whole\":\"17\",\"e\":{}} \n",
                  &arena, &value, &err));
    CHECK_INT(value_member(&value, "n")->type, VALUE_NULL);
    CHECK(value_member(&value, "t")->of.number == 1);
    CHECK(value_member(&value, "x")->of.number == -1500);
    CHECK_OK(value_get_text(&value, "s", &text, &err));
    CHECK_SLICE(text, "a\nü😀\"");
    CHECK_OK(value_get_numbers(&value, "numbers", 5, &found, &err));
    CHECK(isnan(found->of.numbers[1]) && found->of.numbers[2] == -(double)INFINITY);
    CHECK(found->of.numbers[3] == 0 && found->of.numbers[4] == (double)INFINITY);
    CHECK_OK(value_get_numbers(&value, "none", SIZE_MAX, &found, &err));
    CHECK_OK(value_get_list(&value, "none", &found, &err));
    CHECK_INT(found->count, 0);
    CHECK_OK(value_get_list(&value, "deep", &found, &err));
    CHECK_INT(found->count, 2);
    CHECK_OK(value_get_integer(&value, "whole", 0, 17, &integer, &err));
    CHECK_INT(integer, 17);
    CHECK_OK(value_get_integer(&value, "t", 0, 1, &integer, &err));
    CHECK_FAILS(value_get_integer(&value, "whole", 0, 16, &integer, &err), STATUS_CORRUPT,
                "\"whole\": expected an integer from 0 to 16");
    CHECK_FAILS(value_get_integer(&value, "numbers", 0, 16, &integer, &err), STATUS_CORRUPT,
                "integer");
    CHECK_FAILS(value_get_numbers(&value, "numbers", 4, &found, &err), STATUS_CORRUPT,
                "expected 4 numbers, found 5");
    CHECK_FAILS(value_get_numbers(&value, "deep", SIZE_MAX, &found, &err), STATUS_CORRUPT,
                "list of numbers");
    CHECK_FAILS(value_get_list(&value, "numbers", &found, &err), STATUS_CORRUPT, "a list");
    CHECK_FAILS(value_get_object(&value, "s", &found, &err), STATUS_CORRUPT, "an object");
    CHECK_FAILS(value_get_text(&value, "absent", &text, &err), STATUS_CORRUPT, "a text");
    assert_null(value_member(value_member(&value, "s"), "x"));
    CHECK_OK(value_get_object(&value, "e", &found, &err));
    arena_deinit(&arena);
}

static void what_is_no_json_is_refused_with_the_byte(void **state)
{
    static const struct {
        const char *json, *message;
    } cases[] = {{"", "byte 0"},          {"[1", "byte 2"},        {"[1,]", "byte 3"},
                 {"[1,\"a\"]", "byte 3"}, {"[\"a\",", "byte 5"},   {"[\"a\" 1]", "byte 5"},
                 {"{\"a\"", "byte 4"},    {"{\"a\":", "byte 5"},   {"{\"a\":1", "byte 6"},
                 {"{1:1}", "byte 1"},     {"\"abc", "byte 1"},     {"\"a\\x\"", "byte 4"},
                 {"\"\\u12g4\"", "byte"}, {"\"\\ud800\"", "byte"}, {"\"\\ud800\\u0041\"", "byte"},
                 {"1 2", "byte 2"},       {"nul", "byte 0"},       {"-", "byte 0"},
                 {"\"a\\", "byte 1"},     {"\"\\u12\"", "byte"},   {"[null", "byte 5"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct value value;
        struct arena arena;
        struct error err;

        CHECK_FAILS(read_json(cases[i].json, &arena, &value, &err), STATUS_CORRUPT,
                    cases[i].message);
        arena_deinit(&arena);
    }
}

static void depth_is_bounded(void **state)
{
    char deep[2 * DOCUMENT_DEPTH_MAX + 8];
    struct value value;
    struct arena arena;
    struct error err;

    (void)state;
    memset(deep, '[', DOCUMENT_DEPTH_MAX);
    memset(deep + DOCUMENT_DEPTH_MAX, ']', DOCUMENT_DEPTH_MAX);
    deep[2 * DOCUMENT_DEPTH_MAX] = '\0';
    CHECK_OK(read_json(deep, &arena, &value, &err));
    arena_deinit(&arena);
    memset(deep, '[', DOCUMENT_DEPTH_MAX + 1);
    CHECK_FAILS(read_json(deep, &arena, &value, &err), STATUS_CORRUPT, "deeper than 32");
    arena_deinit(&arena);
    arena_init(&arena, 1 << 20);
    CHECK_FAILS(
        document_read_ubj((struct slice){deep, DOCUMENT_DEPTH_MAX + 1}, NULL, &arena, &value, &err),
        STATUS_CORRUPT, "deeper than 32");
    arena_deinit(&arena);
}

static void memory_is_bounded_by_the_arena(void **state)
{
    struct value value;
    struct arena arena;
    struct error err;

    (void)state;
    arena_init(&arena, 64);
    CHECK_FAILS(document_read_json(SLICE("[1,2,3,4,5,6,7,8,9,10,11]"), NULL, &arena, &value, &err),
                STATUS_NO_MEMORY, "memory");
    CHECK_FAILS(document_read_ubj(SLICE("[$U#U\x0b"
                                        "12345678901"),
                                  NULL, &arena, &value, &err),
                STATUS_NO_MEMORY, "memory");
    arena_deinit(&arena);
}

#define UBJ(literal) ((struct slice){literal, sizeof(literal) - 1})

static void ubjson_of_every_kind_is_read(void **state)
{
    static const struct slice bytes = UBJ("{U\x01nZ"
                                          "U\x01tT"
                                          "U\x01"
                                          "fF"
                                          "U\x01xD\xc0\x08\0\0\0\0\0\0"
                                          "U\x01sSU\x02hi"
                                          "U\x05typed[$I#U\x02\x01\0\xff\xff"
                                          "U\x05"
                                          "plain[i\xffNL\0\0\0\0\0\0\x01\0l\0\0\0\x02]"
                                          "U\x07"
                                          "counted[#U\x02Sl\0\0\0\x01"
                                          "aZ"
                                          "U\x04none[]"
                                          "U\x01"
                                          "d[$d#U\x01\x3f\x80\0\0"
                                          "U\x01o{}}");
    const struct value *found;
    struct value value;
    struct slice text;
    struct arena arena;
    struct error err;

    (void)state;
    arena_init(&arena, 1 << 20);
    CHECK_OK(document_read_ubj(bytes, NULL, &arena, &value, &err));
    CHECK_INT(value.count, 11);
    CHECK_INT(value_member(&value, "n")->type, VALUE_NULL);
    CHECK(value_member(&value, "t")->of.number == 1 && value_member(&value, "f")->of.number == 0);
    CHECK(value_member(&value, "x")->of.number == -3);
    CHECK_OK(value_get_text(&value, "s", &text, &err));
    CHECK_SLICE(text, "hi");
    CHECK_OK(value_get_numbers(&value, "typed", 2, &found, &err));
    CHECK(found->of.numbers[0] == 256 && found->of.numbers[1] == -1);
    CHECK_OK(value_get_numbers(&value, "plain", 3, &found, &err));
    CHECK(found->of.numbers[0] == -1 && found->of.numbers[1] == 256 && found->of.numbers[2] == 2);
    CHECK_OK(value_get_list(&value, "counted", &found, &err));
    CHECK_INT(found->count, 2);
    CHECK_OK(value_get_list(&value, "none", &found, &err));
    CHECK_OK(value_get_numbers(&value, "d", 1, &found, &err));
    CHECK(found->of.numbers[0] == 1);
    arena_deinit(&arena);
}

static void counts_of_ubjson_are_compared_with_what_is_there(void **state)
{
    static const struct slice cases[] = {UBJ(""),
                                         UBJ("["),
                                         UBJ("[$"),
                                         UBJ("[$Z#U\x01"),
                                         UBJ("[$d#U\x02\0\0\0\0"),
                                         UBJ("[$U"),
                                         UBJ("[#d\0\0\0\0"),
                                         UBJ("[#U\xff"),
                                         UBJ("[#i\xff"),
                                         UBJ("SU\x05hi"),
                                         UBJ("[$d#L\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0"),
                                         UBJ("{U"),
                                         UBJ("{U\x01"),
                                         UBJ("{U\x01"
                                             "a"),
                                         UBJ("{U\x01"
                                             "aT"),
                                         UBJ("X"),
                                         UBJ("l\0\0"),
                                         UBJ("TT"),
                                         UBJ("[SU\x01"),
                                         UBJ("[#U\x02T"),
                                         UBJ("{SU\x01"
                                             "a")};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct value value;
        struct arena arena;
        struct error err;

        arena_init(&arena, 1 << 20);
        CHECK_FAILS(document_read_ubj(cases[i], NULL, &arena, &value, &err), STATUS_CORRUPT,
                    "no UBJSON at byte");
        arena_deinit(&arena);
    }
}

static void write_all(struct document_writer *writer)
{
    static const int32_t integers[] = {-1, 0, 2147483647}, bytes[] = {0, 1};
    static const float floats[] = {0.1f, 1, -INFINITY, 1e-45f, 16777216};

    write_begin(writer, NULL, WRITE_OBJECT, 0);
    write_text(writer, "text", SLICE("a\"\\\n\x01"));
    write_begin(writer, "list", WRITE_LIST, 2);
    write_text(writer, NULL, SLICE("b"));
    write_integer(writer, NULL, -7);
    write_end(writer, WRITE_LIST);
    write_integers(writer, "integers", 'l', integers, 3);
    write_integers(writer, "bytes", 'U', bytes, 2);
    write_integers(writer, "long", 'L', integers, 3);
    write_floats(writer, "floats", floats, 5);
    write_end(writer, WRITE_OBJECT);
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    for (int is_ubj = 0; is_ubj < 2; is_ubj++) {
        const struct value *found;
        struct document_writer writer;
        struct value value;
        struct slice text;
        struct arena arena;
        struct text out;
        struct error err;

        text_init(&out, TEXT_MAXIMUM);
        writer = (struct document_writer){.out = &out, .is_ubj = is_ubj};
        write_all(&writer);
        arena_init(&arena, 1 << 20);
        CHECK_OK(is_ubj ? document_read_ubj(text_slice(&out), NULL, &arena, &value, &err)
                        : document_read_json(text_slice(&out), NULL, &arena, &value, &err));
        CHECK_OK(value_get_text(&value, "text", &text, &err));
        CHECK_SLICE(text, "a\"\\\n\x01");
        CHECK_OK(value_get_list(&value, "list", &found, &err));
        CHECK(found->of.items[1].of.number == -7);
        CHECK_OK(value_get_numbers(&value, "integers", 3, &found, &err));
        CHECK(found->of.numbers[0] == -1 && found->of.numbers[2] == 2147483647);
        CHECK_OK(value_get_numbers(&value, "long", 3, &found, &err));
        CHECK(found->of.numbers[0] == -1);
        CHECK_OK(value_get_numbers(&value, "bytes", 2, &found, &err));
        CHECK_OK(value_get_numbers(&value, "floats", 5, &found, &err));
        CHECK((float)found->of.numbers[0] == 0.1f && (float)found->of.numbers[3] == 1e-45f);
        CHECK(found->of.numbers[2] == -(double)INFINITY && found->of.numbers[4] == 16777216);
        arena_deinit(&arena);
        text_deinit(&out);
    }
}

/* XGBoost takes digits without a point or an exponent for an integer. */
static void floats_have_the_shortest_digits_and_never_look_like_integers(void **state)
{
    static const struct {
        float value;
        const char *digits;
    } cases[] = {{0.1f, "0.1"},
                 {1, "1E0"},
                 {-3, "-3E0"},
                 {1e30f, "1e+30"},
                 {NAN, "NaN"},
                 {INFINITY, "Infinity"},
                 {16777216, "16777216E0"},
                 {0.123456789f, "0.12345679"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text out;

        text_init(&out, TEXT_MAXIMUM);
        write_float_digits(&out, cases[i].value);
        assert_string_equal(text_string(&out), cases[i].digits);
        text_deinit(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_of_every_kind_is_read),
        cmocka_unit_test(what_is_no_json_is_refused_with_the_byte),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(memory_is_bounded_by_the_arena),
        cmocka_unit_test(ubjson_of_every_kind_is_read),
        cmocka_unit_test(counts_of_ubjson_are_compared_with_what_is_there),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(floats_have_the_shortest_digits_and_never_look_like_integers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
