/*
 * The parameters of a SELECT have the numbers that the databases give them, and
 * what stands in quotes and comments is none.
 */
#include "base/arena.h"
#include "parser/placeholders.h"
#include "tests/check.h"

static void find(const char *text, enum placeholder_style style, struct arena *arena,
                 struct placeholders *found)
{
    const struct slice slice = slice_of(text);
    struct error err;

    CHECK_OK(
        placeholders_find(slice, (struct span){0, (int)slice.size}, style, arena, found, &err));
}

/* The text with <number> in the place of each. */
static void check(const char *text, enum placeholder_style style, const char *expected)
{
    struct slice values[20];
    char digits[20][16];
    struct placeholders found;
    struct arena arena;
    struct text out;

    for (int i = 0; i < 20; i++) {
        snprintf(digits[i], sizeof digits[i], "<%d>", i + 1);
        values[i] = slice_of(digits[i]);
    }
    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&out, TEXT_MAXIMUM);
    find(text, style, &arena, &found);
    CHECK(found.most <= 20);
    placeholders_fill(slice_of(text), &found, values, &out);
    assert_string_equal(text_string(&out), expected);
    text_deinit(&out);
    arena_deinit(&arena);
}

static void sqlite_numbers_them_by_their_first_place(void **state)
{
    (void)state;
    check("a < ? AND b > ?", PLACEHOLDERS_SQLITE, "a < <1> AND b > <2>");
    check("?3, ?, ?1, ?", PLACEHOLDERS_SQLITE, "<3>, <4>, <1>, <5>");
    check(":a, @a, $a, :a, ?, :b", PLACEHOLDERS_SQLITE, "<1>, <2>, <3>, <1>, <4>, <5>");
    check(":1, $1, ?1", PLACEHOLDERS_SQLITE, "<1>, <2>, <1>");
}

static void postgres_has_numbers_alone(void **state)
{
    (void)state;
    check("a < $2 AND b > $1", PLACEHOLDERS_POSTGRES, "a < <2> AND b > <1>");
    check("a ? 'x' AND b @> c AND d::int = x[$1]", PLACEHOLDERS_POSTGRES,
          "a ? 'x' AND b @> c AND d::int = x[<1>]");
    check("a$1, $$ $1 $$, $a$ $1 $a$", PLACEHOLDERS_POSTGRES, "a$1, $$ $1 $$, $a$ $1 $a$");
}

static void quotes_names_and_comments_have_none(void **state)
{
    (void)state;
    check("'?' \"?\" `?` [?] -- ?\n/* :a */ x::int ?", PLACEHOLDERS_SQLITE,
          "'?' \"?\" `?` [?] -- ?\n/* :a */ x::int <1>");
}

static void a_value_is_kept_apart_from_words(void **state)
{
    const struct slice value = SLICE("7");
    struct placeholders found;
    struct arena arena;
    struct text out;

    (void)state;
    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&out, TEXT_MAXIMUM);
    find("LIMIT?OFFSET 1", PLACEHOLDERS_SQLITE, &arena, &found);
    placeholders_fill(SLICE("LIMIT?OFFSET 1"), &found, &value, &out);
    assert_string_equal(text_string(&out), "LIMIT 7 OFFSET 1");
    text_deinit(&out);
    arena_deinit(&arena);
}

static void there_is_a_limit_to_numbers_and_places(void **state)
{
    struct placeholders found;
    struct arena arena;
    struct error err;
    struct text many;

    (void)state;
    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&many, TEXT_MAXIMUM);
    for (int i = 0; i <= PLACEHOLDERS_MAX; i++)
        text_append_string(&many, "?,");
    CHECK_FAILS(placeholders_find(text_slice(&many), (struct span){0, (int)many.size},
                                  PLACEHOLDERS_SQLITE, &arena, &found, &err),
                STATUS_LIMIT, "more than 4096 parameters");
    CHECK_FAILS(placeholders_find(SLICE("?99999999999999999999"), (struct span){0, 21},
                                  PLACEHOLDERS_SQLITE, &arena, &found, &err),
                STATUS_INVALID, "from 1 to 65535");
    CHECK_FAILS(placeholders_find(SLICE("$0"), (struct span){0, 2}, PLACEHOLDERS_POSTGRES, &arena,
                                  &found, &err),
                STATUS_INVALID, "from 1 to 65535");
    text_deinit(&many);
    arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sqlite_numbers_them_by_their_first_place),
        cmocka_unit_test(postgres_has_numbers_alone),
        cmocka_unit_test(quotes_names_and_comments_have_none),
        cmocka_unit_test(a_value_is_kept_apart_from_words),
        cmocka_unit_test(there_is_a_limit_to_numbers_and_places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
