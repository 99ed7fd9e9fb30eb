#include <stdlib.h>
#include <string.h>

#include "report/card.h"
#include "tests/check.h"

static const struct slice names[] = {{"in|put<b>", 9}, {"value", 5}};
static const struct cell cells[] = {
    {.type = CELL_TEXT, .text = {"<script>alert(1)</script>", 25}},
    {.type = CELL_REAL, .real = 0.1234567},
    {.type = CELL_TEXT, .text = {"a|b\n# c", 7}},
    {.type = CELL_NULL},
};

/* A card as hostile names would have it. */
static void begin_card(struct card *card)
{
    memset(card, 0, sizeof *card);
    arena_init(&card->arena, ARENA_MAXIMUM);
    card->theme = THEME_LIGHT;
    card->model = SLICE("m<i>&\"");
    card->estimator = SLICE("XGBClassifier");
    card->label = SLICE("*y*");
    card->statement = SLICE("SELECT '</pre>'\nTO TRAIN");
    card->measured = SLICE("SELECT \"<td>\"");
    card->is_flattered = true;
    card->created_at = SLICE("2026-01-02T03:04:05Z");
    card->digest = SLICE("00ff");
    card->version = 3;
    card->trained_rows = 10;
    card->input_count = 1;
    card->notices[card->notice_count++] = SLICE("column <x> & \"y\"");
    card->sections[card->section_count++] = (struct card_section){
        "importance", "Importance", "It says so.", {names, 2, cells, 2}, {0}, 0};
    card->gaps[card->gap_count++] = (struct card_gap){"SHAP values", SLICE("not <supported>")};
}

static void check_has(const struct text *page, const char *expected)
{
    if (!strstr(text_string(page), expected))
        check_failed("%s is not in %s", expected, text_string(page));
}

static void check_lacks(const struct text *page, const char *unwanted)
{
    if (strstr(text_string(page), unwanted))
        check_failed("%s is in %s", unwanted, text_string(page));
}

static void html_has_no_markup_of_data(void **state)
{
    struct card card;
    struct text page;

    (void)state;
    begin_card(&card);
    text_init(&page, CARD_BYTES_MAX);
    card_print_html(&card, &page);
    check_has(&page, "<title>Model card: m&lt;i&gt;&amp;&quot;</title>");
    check_has(&page,
              "<td>&lt;script&gt;alert(1)&lt;/script&gt;</td><td class=\"number\">0.12346</td>");
    check_has(&page, "in|put&lt;b&gt;</th>");
    check_has(&page, "<td>a|b\n# c</td><td class=\"number\"></td>");
    check_has(&page, "<pre>SELECT '&lt;/pre&gt;'\nTO TRAIN</pre>");
    check_has(&page, "<li>SHAP values: not &lt;supported&gt;</li>");
    check_has(&page, "<li>column &lt;x&gt; &amp; &quot;y&quot;</li>");
    check_has(&page, "default-src 'none'");
    check_has(&page, "which flatters the model");
    check_lacks(&page, "<script");
    check_lacks(&page, "http-equiv=\"refresh");
    text_deinit(&page);
    card_deinit(&card);
}

static void a_dark_page_is_dark_and_one_for_all_follows_the_reader(void **state)
{
    struct card card;
    struct text page;

    (void)state;
    begin_card(&card);
    text_init(&page, CARD_BYTES_MAX);
    card_print_html(&card, &page);
    check_has(&page, "--back:#fff");
    check_lacks(&page, "prefers-color-scheme");
    text_clear(&page);
    card.theme = THEME_DARK;
    card_print_html(&card, &page);
    check_lacks(&page, "<style>:root{color-scheme:light;--ink:#222");
    check_has(&page, "@media print{:root{color-scheme:light;--ink:#222;--back:#fff");
    text_clear(&page);
    card.theme = THEME_AUTO;
    card_print_html(&card, &page);
    check_has(&page, "@media screen and (prefers-color-scheme:dark){:root{");
    text_deinit(&page);
    card_deinit(&card);
}

static void the_ending_of_a_file_names_the_format(void **state)
{
    static const char *const html[] = {"card.html", "card.HTM", "card", "/tmp/v1.2/card"};
    enum card_format format;
    struct error err;

    (void)state;
    for (size_t i = 0; i < sizeof html / sizeof *html; i++) {
        CHECK_INT(card_format_of(slice_of(html[i]), &format, &err), STATUS_OK);
        CHECK_INT(format, CARD_HTML);
    }
    CHECK_INT(card_format_of(SLICE("x.md"), &format, &err), STATUS_OK);
    CHECK_INT(format, CARD_MARKDOWN);
    CHECK_FAILS(card_format_of(SLICE("card.pdf"), &format, &err), STATUS_INVALID,
                "the ending of \"card.pdf\" names no format of reports");
}

static void markdown_has_no_markup_of_data(void **state)
{
    struct card card;
    struct text page;

    (void)state;
    begin_card(&card);
    text_init(&page, CARD_BYTES_MAX);
    card_print_markdown(&card, &page);
    check_has(&page, "# Model card: m&lt;i&gt;&amp;\"\n");
    check_has(&page, "that predicts **\\*y\\*** from 1 input.");
    check_has(&page, "| in\\|put&lt;b&gt; | value |\n|---|---|\n");
    check_has(&page, "| &lt;script&gt;alert(1)&lt;/script&gt; | 0.12346 |\n");
    check_has(&page, "| a\\|b \\# c |  |\n");
    check_has(&page, "    SELECT '</pre>'\n    TO TRAIN\n");
    check_has(&page, "- SHAP values: not &lt;supported&gt;\n");
    text_deinit(&page);
    card_deinit(&card);
}

static void check_rows(size_t rows, size_t most, size_t shown)
{
    const struct card_section section = {.rows = {.row_count = rows}, .rows_max = most};

    assert_int_equal(card_rows_shown(&section), shown);
    assert_int_equal(card_row_at(&section, 0), 0);
    assert_int_equal(card_row_at(&section, shown - 1), rows - 1);
}

static void many_rows_are_chosen_evenly_with_the_first_and_the_last(void **state)
{
    struct cell many[2 * 100];
    struct card card;
    struct text page;

    (void)state;
    check_rows(3, 0, 3);
    check_rows(1, 0, 1);
    check_rows(1000, 0, CARD_ROWS_MAX);
    check_rows(1000, 20, 20);
    for (int i = 0; i < 100; i++) {
        many[2 * i] = (struct cell){.type = CELL_NULL};
        many[2 * i + 1] = (struct cell){.type = CELL_INTEGER, .integer = i};
    }
    begin_card(&card);
    card.sections[0].rows = (struct picture_table){names, 2, many, 100};
    text_init(&page, CARD_BYTES_MAX);
    card_print_html(&card, &page);
    check_has(&page, "60 of 100 rows, evenly chosen.");
    check_has(&page, "<td class=\"number\">99</td>");
    check_lacks(&page, "<td class=\"number\">2</td>");
    text_deinit(&page);
    card_deinit(&card);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(html_has_no_markup_of_data),
        cmocka_unit_test(a_dark_page_is_dark_and_one_for_all_follows_the_reader),
        cmocka_unit_test(the_ending_of_a_file_names_the_format),
        cmocka_unit_test(markdown_has_no_markup_of_data),
        cmocka_unit_test(many_rows_are_chosen_evenly_with_the_first_and_the_last),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
