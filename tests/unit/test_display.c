#include "tests/check.h"

#include <locale.h>
#include <stdio.h>

#include "cli/printing/display.h"
#include "cli/printing/table_fit.h"

static void check_cut(const char *whole, unsigned width, const char *expected)
{
    struct text out;

    text_init(&out, 1 << 10);
    display_append_cut(&out, slice_of(whole), width);
    assert_string_equal(text_string(&out), expected);
    text_deinit(&out);
}

static void a_text_is_cut_where_the_ellipsis_still_fits(void **state)
{
    (void)state;
    check_cut("abcdef", 6, "abcdef");
    check_cut("abcdef", 5, "abcd…");
    check_cut("abcdef", 1, "…");
    check_cut("abcdef", 0, "…");
    check_cut("", 0, "");
}

static void a_wide_character_takes_two_columns_and_a_combining_one_none(void **state)
{
    (void)state;
    CHECK_INT(display_width(SLICE("漢字")), 4);
    CHECK_INT(display_width(SLICE("e\xCC\x81")), 1);
    CHECK_INT(display_width(SLICE("\xFFz")), 2); /* no character: a byte, a column */
    check_cut("漢字漢字", 6, "漢字…");
    check_cut("漢字漢字", 5, "漢字…");
    check_cut("漢字漢字", 4, "漢…");
    check_cut("e\xCC\x81nd", 2, "e\xCC\x81…");
}

static void what_does_not_print_is_shown_by_its_code(void **state)
{
    struct text out;

    (void)state;
    text_init(&out, 1 << 10);
    display_append(&out, SLICE("a\nb\tc\x1b[1m\x7f \xC2\x9B \xFF é\xC2\xA0"));
    assert_string_equal(text_string(&out), "a\\nb\\tc\\x1b[1m\\x7f \\x9b \\xff é\xC2\xA0");
    text_deinit(&out);
}

/* The lines, with bars between. */
static void check_lines(const char *whole, unsigned width, const char *expected)
{
    struct slice rest = slice_of(whole);
    char out[256] = "";
    size_t used = 0, next;

    while (rest.size > 0) {
        const size_t size = display_line(rest, width, &next);

        used += (size_t)snprintf(out + used, sizeof out - used, "%s%.*s", used ? "|" : "",
                                 (int)size, rest.data);
        CHECK(next > 0);
        rest = (struct slice){rest.data + next, rest.size - next};
    }
    assert_string_equal(out, expected);
}

static void lines_are_broken_between_words_or_where_a_word_is_longer_within_it(void **state)
{
    (void)state;
    check_lines("one two three", 13, "one two three");
    check_lines("one two three", 7, "one two|three");
    check_lines("one two  three", 8, "one two |three");
    check_lines("one   two", 3, "one|two");
    check_lines("abcdefgh ij", 3, "abc|def|gh|ij");
    check_lines("漢字", 1, "漢|字");
    check_lines("", 5, "");
}

static const unsigned four[] = {4, 40, 9, 60}, tens[] = {10, 10, 10, 10};

static void the_widest_columns_shrink_first(void **state)
{
    unsigned widths[4];
    struct table_fit fit;

    (void)state;
    memcpy(widths, four, sizeof widths);
    fit = table_fit(widths, tens, 4, 125); /* 125 columns with their frames */
    CHECK(fit.left == 4 && fit.right == 0);
    CHECK(widths[1] == 40 && widths[3] == 60);
    memcpy(widths, four, sizeof widths);
    fit = table_fit(widths, tens, 4, 124);
    CHECK(widths[1] == 40 && widths[3] == 59);
    memcpy(widths, four, sizeof widths);
    fit = table_fit(widths, tens, 4, 85);
    CHECK(fit.left == 4 && fit.right == 0);
    CHECK(widths[0] == 4 && widths[1] == 30 && widths[2] == 9 && widths[3] == 30);
}

static void columns_in_the_middle_are_left_out_where_all_are_at_their_least(void **state)
{
    unsigned widths[4];
    struct table_fit fit;

    (void)state;
    memcpy(widths, four, sizeof widths);
    fit = table_fit(widths, tens, 4, 45); /* 7 + 13 + 12 + 13 */
    CHECK(fit.left == 4 && widths[1] == 10 && widths[3] == 10);
    memcpy(widths, four, sizeof widths);
    fit = table_fit(widths, tens, 4, 44);
    CHECK(fit.left == 2 && fit.right == 1);
    CHECK(widths[0] == 4 && widths[1] + widths[3] <= 44 - 4 - 7 - 6);
    memcpy(widths, four, sizeof widths);
    fit = table_fit(widths, tens, 4, 5); /* one is shown, however small the room */
    CHECK(fit.left == 1 && fit.right == 0);
}

static void a_column_keeps_its_least_width(void **state)
{
    unsigned widths[] = {30, 30};
    const unsigned least[] = {30, 10};
    struct table_fit fit = table_fit(widths, least, 2, 50);

    (void)state;
    CHECK(fit.left == 2 && widths[0] == 30 && widths[1] == 14);
    widths[0] = 90;
    fit = table_fit(widths, least, 1, 20); /* the only one, wider than the room */
    CHECK(fit.left == 1 && widths[0] == 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_cut_where_the_ellipsis_still_fits),
        cmocka_unit_test(a_wide_character_takes_two_columns_and_a_combining_one_none),
        cmocka_unit_test(what_does_not_print_is_shown_by_its_code),
        cmocka_unit_test(lines_are_broken_between_words_or_where_a_word_is_longer_within_it),
        cmocka_unit_test(the_widest_columns_shrink_first),
        cmocka_unit_test(columns_in_the_middle_are_left_out_where_all_are_at_their_least),
        cmocka_unit_test(a_column_keeps_its_least_width),
    };
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
