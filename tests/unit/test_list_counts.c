/* Texts that all are lists, and what they are of, whoever counted which. */
#include "scoring/columns/list_counts.h"

#include <string.h>

#include "base/bytes.h"
#include "tests/check.h"

#define TEXTS_MAX 4

static void count_texts(struct list_counts *counts, const char *const *texts)
{
    for (size_t i = 0; i < TEXTS_MAX && texts[i]; i++) {
        const struct text_look look = text_look_at(slice_of(texts[i]));

        list_count(counts, slice_of(texts[i]), &look);
    }
}

static void check_equal(const struct list_counts *a, const struct list_counts *b)
{
    CHECK(a->texts == b->texts && a->dense_plain == b->dense_plain);
    CHECK(a->sparse_several == b->sparse_several && a->sparse_alone == b->sparse_alone);
    CHECK(a->dense_least == b->dense_least && a->dense_most == b->dense_most);
    CHECK(a->sparse_ids == b->sparse_ids && a->sparse_most == b->sparse_most);
    CHECK(a->not_dense == b->not_dense && a->not_sparse == b->not_sparse);
}

/* Texts are of any kind, in any order, and counted by any number of writers. */
static void the_most_items_of_a_text_are_counted(void **state)
{
    static const struct {
        const char *texts[TEXTS_MAX];
        uint32_t most;
    } cases[] = {
        {{""}, 0},
        {{"a"}, 1},
        {{"a", "b,c"}, 2},
        {{"a, b , c", "one two"}, 4}, /* white space in front of a comma counts, too */
        {{"[1,2,3,4]", "x"}, 4},
        {{"one two  three", "a,b"}, 3},
        {{"one,\x01\b two"}, 3}, /* control characters are no white space */
    };
    char many[2000];
    struct list_counts counts = {0};
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct list_counts forwards = {0}, merged = {0};

        for (size_t j = 0; j < TEXTS_MAX && cases[i].texts[j]; j++) {
            struct list_counts one = {0};

            list_count_items(&forwards, slice_of(cases[i].texts[j]));
            list_count_items(&one, slice_of(cases[i].texts[j]));
            list_counts_merge(&one, &merged);
            merged = one;
        }
        CHECK_INT(forwards.items_most, cases[i].most);
        CHECK_INT(merged.items_most, cases[i].most);
    }
    memset(many, ',', sizeof many - 1), many[0] = 'a', many[sizeof many - 1] = '\0';
    list_count_items(&counts, slice_of(many));
    CHECK_INT(counts.items_most, ITEMS_COUNTED_MAX);
}

static void texts_are_counted_by_what_they_can_be(void **state)
{
    static const struct {
        const char *texts[TEXTS_MAX];
        struct list_counts wanted;
    } cases[] = {
        {{"1.5, 2, -3", " 4e2,5 ,6"}, {2, 0, 0, 0, 3, 3, 0, 0, false, true, 0}},
        {{"3:0.5 7:1", "2:1"}, {2, 0, 1, 0, 0, 0, 8, 2, true, false, 0}},
        {{"3, 17", "5"}, {2, 0, 1, 2, 1, 2, 18, 2, false, false, 0}},
        {{"3:2, 9", "0:1"}, {2, 0, 1, 1, 0, 0, 10, 2, true, false, 0}},
        {{"3,14", "-2,5", "1,000"}, {3, 3, 0, 0, 2, 2, 0, 0, false, true, 0}},
        {{"255,255,255", "1,2,3"}, {2, 1, 2, 2, 3, 3, 256, 3, false, false, 0}},
        {{"1,,2"}, {1, 0, 1, 1, 0, 0, 3, 2, true, false, 0}},
        {{"10000000:1"}, {0, 0, 0, 0, 0, 0, 0, 0, true, true, 0}},
        {{"1e999, 2"}, {0, 0, 0, 0, 0, 0, 0, 0, true, true, 0}},
        {{"1, 2", "red"}, {0, 0, 0, 0, 0, 0, 0, 0, true, true, 0}},
        {{"1.5, 2", "3:1 4:1"}, {0, 0, 0, 0, 0, 0, 0, 0, true, true, 0}},
        {{"1:1e308 1:1e308"}, {0, 0, 0, 0, 0, 0, 0, 0, true, true, 0}},
        {{"1e999"}, {0, 0, 0, 0, 0, 0, 0, 0, true, true, 0}},
        {{"NA"}, {0, 0, 0, 0, 0, 0, 0, 0, true, true, 0}},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct list_counts forwards = {0}, backwards = {0}, merged = {0};

        count_texts(&forwards, cases[i].texts);
        check_equal(&forwards, &cases[i].wanted);
        for (size_t j = TEXTS_MAX; j-- > 0;) {
            const char *const text[TEXTS_MAX] = {cases[i].texts[j]};
            struct list_counts one = {0};

            count_texts(&backwards, text);
            count_texts(&one, text);
            list_counts_merge(&merged, &one);
        }
        check_equal(&backwards, &forwards);
        check_equal(&merged, &forwards);
    }
}

static void counts_come_back_from_bytes(void **state)
{
    static const char *const texts[TEXTS_MAX] = {"3, 17", "5"};
    struct list_counts counts = {0}, read;
    struct byte_reader reader;
    struct text bytes;
    (void)state;

    count_texts(&counts, texts);
    text_init(&bytes, 1000);
    list_counts_put(&counts, &bytes);
    reader = byte_reader_over(text_slice(&bytes));
    assert_true(list_counts_read(&reader, &read));
    check_equal(&read, &counts);
    counts.sparse_ids = CATEGORY_WORDS_MAX + 1;
    text_clear(&bytes);
    list_counts_put(&counts, &bytes);
    reader = byte_reader_over(text_slice(&bytes));
    assert_false(list_counts_read(&reader, &read));
    reader = byte_reader_over((struct slice){text_string(&bytes), bytes.size - 1});
    assert_false(list_counts_read(&reader, &read));
    text_deinit(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_counted_by_what_they_can_be),
        cmocka_unit_test(the_most_items_of_a_text_are_counted),
        cmocka_unit_test(counts_come_back_from_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
