/* Texts that look alike: what is folded to one, what is not, and in which characters two differ. */
#include "inputs/cells/alike.h"

#include <stdlib.h>

#include "tests/check.h"

static bool are_alike(struct slice a, struct slice b)
{
    char *bytes_a = malloc(a.size + 1), *bytes_b = malloc(b.size + 1);
    bool is_same;

    CHECK(bytes_a && bytes_b);
    is_same = slice_equal(alike_fold(a, bytes_a), alike_fold(b, bytes_b));
    free(bytes_a);
    free(bytes_b);
    return is_same;
}

static void texts_that_look_alike_are_folded_to_one(void **state)
{
    static const char *const pairs[][2] = {
        {"caf\u00e9", "cafe\u0301"},
        {"CAF\u00c9", "cafe\u0301"},
        {"\u00c5ngstr\u00f6m", "A\u030angstro\u0308m"},
        {"Vi\u1ec7t", "Vie\u0323\u0302t"},
        {"Vi\u1ec7t", "Vi\u00ea\u0323t"},
        {"Vi\u1ec7t", "Vi\u1eb9\u0302t"},
        {"\u0439\u043e\u0434", "\u0418\u0306\u043e\u0434"},
        {"\u03ae", "\u03b7\u0301"},
        {"\u304c", "\u304b\u3099"},
        {"\u30d1", "\uff8a\uff9f"},
        {"\ud55c\uae00", "\u1112\u1161\u11ab\u1100\u1173\u11af"},
        {"Bucure\u0219ti", "Bucure\u015fti"},
        {"\u00c9COLE", "\u00e9cole"},
        {"\u041c\u041e\u0421\u041a\u0412\u0410", "\u043c\u043e\u0441\u043a\u0432\u0430"},
        {"ABC 12", "\uff21\uff22\uff23\u3000\uff11\uff12"},
        {"12", "\u0661\u0662"},
        {"New York", "New\u00a0York"},
        {"New York", " New  York\t"},
        {"New York", "New\u2009York\u202f"},
        {"Rome", "Ro\u200bme"},
        {"Rome", "\ufeffRome"},
        {"O'Brien", "O\u2019Brien"},
        {"A-B", "A\u2013B"},
        {"\"a\"", "\u201ca\u201d"},
        {"5 \u00b5g", "5 \u03bcg"},
        {"\u2126", "\u03a9"},
        {"A101", "\u0410101"},
        {"", "\u00a0\u200b"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (!are_alike(slice_of(pairs[i][0]), slice_of(pairs[i][1])))
            check_failed("'%s' and '%s' look alike", pairs[i][0], pairs[i][1]);
}

static void other_texts_stay_apart(void **state)
{
    static const char *const pairs[][2] = {
        {"cafe", "caf\u00e9"},
        {"e\u0300", "e\u0301"},
        {"Zurich", "Z\u00fcrich"},
        {"b", "\u0432"},
        {"\uac00", "\uac01"},
        {"ab", "a b"},
        {"1", "2"},
        {"\u0301", "\u0300"},
        {"q\u0301", "q"},
    };
    static const char broken[] = "\xc3(\xff\xe2\x82";
    char bytes[sizeof broken];
    (void)state;

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (are_alike(slice_of(pairs[i][0]), slice_of(pairs[i][1])))
            check_failed("'%s' and '%s' are others", pairs[i][0], pairs[i][1]);
    CHECK_SLICE(alike_fold(slice_of(broken), bytes), broken); /* no UTF-8 */
}

static void check_difference(const char *a, const char *b, const char *of_a, const char *of_b)
{
    struct alike_pair pair = {slice_of(a), slice_of(b), false};
    struct slice x, y;

    CHECK(alike_difference(&pair, &x, &y));
    CHECK_SLICE(x, of_a);
    CHECK_SLICE(y, of_b);
    CHECK(!alike_difference(&pair, &x, &y));
}

static void the_characters_in_which_two_differ_are_found(void **state)
{
    struct alike_pair pair = {SLICE("\u00c9t\u00e9"), SLICE("e\u0301te\u0301"), false};
    struct slice x, y;
    (void)state;

    check_difference("caf\u00e9s", "CAFe\u0301S", "\u00e9", "e\u0301");
    check_difference("Ro\u200bme", "Rome", "\u200b", "");
    check_difference("Rome", "Rome\u200b", "", "\u200b");
    check_difference("New York", "New\u00a0York", " ", "\u00a0");
    check_difference("New York", "New  York", " ", "  ");
    check_difference("Rome", "Rome\u00a0", " ", "\u00a0");
    check_difference("\u00a0Rome", "Rome", "\u00a0", " ");
    check_difference("a\ud55cz", "a\u1112\u1161\u11abz", "\ud55c", "\u1112\u1161\u11ab");
    CHECK(alike_difference(&pair, &x, &y));
    CHECK_SLICE(x, "\u00c9");
    CHECK(alike_difference(&pair, &x, &y));
    CHECK_SLICE(x, "\u00e9");
    CHECK_SLICE(y, "e\u0301");
    CHECK(!alike_difference(&pair, &x, &y));
    pair = (struct alike_pair){SLICE("a\u200b\u200b\u200b\u200b\u200b\u200b\u200b"), SLICE("b"),
                               false};
    CHECK(!alike_difference(&pair, &x, &y));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_that_look_alike_are_folded_to_one),
        cmocka_unit_test(other_texts_stay_apart),
        cmocka_unit_test(the_characters_in_which_two_differ_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
