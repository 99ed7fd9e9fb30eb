/* Words of a free text: models keep the hashes of words, so that none of this may change.
 */
#include "inputs/texts/text_terms.h"
#include "inputs/texts/text_words.h"
#include "tests/check.h"

/* The words of a text, each in brackets. */
static void check_words(struct slice text, const char *wanted)
{
    struct text_words words = text_words_of(text);
    struct slice word;
    struct text found;

    text_init(&found, TEXT_MAXIMUM);
    while (text_words_next(&words, &word)) {
        text_append_char(&found, '[');
        text_append(&found, word);
        text_append_char(&found, ']');
    }
    CHECK(!text_words_next(&words, &word) && word.size == 0);
    if (strcmp(text_string(&found), wanted) != 0)
        check_failed("'%.*s' is %s, not %s", SLICE_FORMAT(text), text_string(&found), wanted);
    text_deinit(&found);
}

static void words_are_runs_of_letters_and_digits(void **state)
{
    (void)state;
    check_words(SLICE(""), "");
    check_words(SLICE(" \t--..!\n"), "");
    check_words(SLICE("a"), "[a]");
    check_words(SLICE("Don't panic: 7 x 24h, e_mail@THERE."),
                "[don][t][panic][7][x][24h][e][mail][there]");
    check_words((struct slice){"nul\0in\0it", 9}, "[nul][in][it]");
}

static void capitals_are_small_letters_in_alphabets_of_wide_use(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"GRÜSSE aus KÖLN", "[grüsse][aus][köln]"},
        {"ŁÓDŹ Çelik İzmir ÐĐ ŸŠŽ", "[łódź][çelik][izmir][ðđ][ÿšž]"},
        {"ẞ ẠẤ Ơ Ư Ș", "[ß][ạấ][ơ][ư][ș]"},
        {"ΆΈΌΎΏ ΑΩ ΟΔΟΣ οδος", "[άέόύώ][αω][οδοσ][οδοσ]"},
        {"МОСКВА Ёлка Ѐ Ҁ Ӏ ӁӐ ԱՖ", "[москва][ёлка][ѐ][ҁ][ӏ][ӂӑ][աֆ]"},
        {"ＡＺ０９", "[ａｚ０９]"},
        {"small ones stay: àÿžωяֆ", "[small][ones][stay][àÿžωяֆ]"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_words(slice_of(cases[i].text), cases[i].words);
}

static void what_stands_between_words_is_known_beyond_ascii(void **state)
{
    (void)state;
    check_words(SLICE("«Où» – “ça”… 5×7÷2 €9¿que? ½ª"), "[où][ça][5][7][2][9][que][½ª]");
    check_words(SLICE("a\u3000b\u00A0c\uFF0Cd\uFEFFe\u2028f"), "[a][b][c][d][e][f]");
    check_words(SLICE("हिन्दी।भाषा ไทยแลนด์ שלום־עולם"), "[हिन्दी][भाषा][ไทยแลนด์][שלום][עולם]");
    check_words(SLICE("e\u0301t\u0301"), "[e\u0301t\u0301]"); /* marks belong to their letters */
}

static void han_and_pictographs_are_words_by_themselves(void **state)
{
    (void)state;
    check_words(SLICE("漢字abc字"), "[漢][字][abc][字]");
    check_words(SLICE("カタカナ・ひらがな 한국어"), "[カタカナ][ひらがな][한국어]");
    check_words(SLICE("great👍🏽👍 ❤️!"), "[great][👍][👍][❤]");
    check_words(SLICE("𠀀𐐀"), "[𠀀][𐐀]"); /* beyond the first plane; Deseret keeps its capitals */
}

static void bytes_that_are_no_utf8_count_as_letters(void **state)
{
    (void)state;
    check_words(SLICE("caf\xE9 b"), "[caf\xE9][b]"); /* Latin-1 */
    check_words(SLICE("\xC3"), "[\xC3]");            /* cut off */
    check_words(SLICE("\xC0\xAF \xED\xA0\x80"),
                "[\xC0\xAF][\xED\xA0\x80]"); /* overlong, surrogate */
    check_words(SLICE("\xF4\x90\x80\x80 \xE2\x82"
                      "a"),
                "[\xF4\x90\x80\x80][\xE2\x82"
                "a]");
}

static void of_a_long_word_the_first_bytes_count(void **state)
{
    char text[3 * TEXT_WORD_BYTES];
    struct text_words words;
    struct slice word;
    (void)state;

    memset(text, 'A', sizeof text);
    text[2 * TEXT_WORD_BYTES] = ' ';
    words = text_words_of((struct slice){text, sizeof text});
    CHECK(text_words_next(&words, &word));
    CHECK_INT(word.size, TEXT_WORD_BYTES);
    CHECK(word.data[0] == 'a' && word.data[TEXT_WORD_BYTES - 1] == 'a');
    CHECK(text_words_next(&words, &word));
    CHECK_INT(word.size, TEXT_WORD_BYTES - 1);
    CHECK(!text_words_next(&words, &word));

    memcpy(text + TEXT_WORD_BYTES - 1, "\xC3\xA4",
           2); /* one byte too long, and the rest is zeros */
    words = text_words_of((struct slice){text, sizeof text});
    CHECK(text_words_next(&words, &word));
    CHECK_INT(word.size, TEXT_WORD_BYTES);
    CHECK(word.data[TEXT_WORD_BYTES - 2] == 'a' && word.data[TEXT_WORD_BYTES - 1] == 0);
}

/* The terms of a text with its pairs, each in brackets. */
static void check_pairs(struct slice text, const char *wanted)
{
    struct text_terms terms = text_terms_of(text, true);
    struct slice term;
    struct text found;

    text_init(&found, TEXT_MAXIMUM);
    while (text_terms_next(&terms, &term)) {
        text_append_char(&found, '[');
        text_append(&found, term);
        text_append_char(&found, ']');
    }
    CHECK(!text_terms_next(&terms, &term));
    if (strcmp(text_string(&found), wanted) != 0)
        check_failed("'%.*s' is %s, not %s", SLICE_FORMAT(text), text_string(&found), wanted);
    text_deinit(&found);
}

static void pairs_are_words_that_follow_each_other(void **state)
{
    (void)state;
    check_pairs(SLICE(""), "");
    check_pairs(SLICE("One"), "[one]");
    check_pairs(SLICE("Not good. At 漢字"),
                "[not][good][not good][at][good at][漢][at 漢][字][漢 字]");
}

static void a_pair_of_long_words_has_both(void **state)
{
    static char text[3 * TEXT_WORD_BYTES + 20];
    struct text_terms terms = text_terms_of((struct slice){text, sizeof text}, true);
    struct slice term;
    (void)state;

    memset(text, 'a', sizeof text);
    text[TEXT_WORD_BYTES + 5] = text[2 * TEXT_WORD_BYTES + 10] = ' ';
    for (int i = 0; i < 5; i++) {
        CHECK(text_terms_next(&terms, &term));
        CHECK_INT(term.size, i == 0 || i % 2 == 1 ? TEXT_WORD_BYTES : TEXT_TERM_BYTES);
        CHECK(term.size == TEXT_WORD_BYTES || term.data[TEXT_WORD_BYTES] == ' ');
    }
    CHECK(!text_terms_next(&terms, &term));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_runs_of_letters_and_digits),
        cmocka_unit_test(capitals_are_small_letters_in_alphabets_of_wide_use),
        cmocka_unit_test(what_stands_between_words_is_known_beyond_ascii),
        cmocka_unit_test(han_and_pictographs_are_words_by_themselves),
        cmocka_unit_test(bytes_that_are_no_utf8_count_as_letters),
        cmocka_unit_test(of_a_long_word_the_first_bytes_count),
        cmocka_unit_test(pairs_are_words_that_follow_each_other),
        cmocka_unit_test(a_pair_of_long_words_has_both),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
