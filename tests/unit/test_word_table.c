#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/data/statistics/word_table.h"

#define WORDS 5000
#define BYTES 12

static struct slice word_of(char (*words)[BYTES], uint32_t i)
{
    return (struct slice){words[i], strlen(words[i])};
}

/* Words of several lengths, the empty word among them. */
static char (*made_words(void))[BYTES]
{
    char(*words)[BYTES] = calloc(WORDS, sizeof *words);

    assert_non_null(words);
    for (uint32_t i = 1; i < WORDS; i++)
        snprintf(words[i], BYTES, "%s%u", i % 3 ? "" : "a word ", i);
    return words;
}

static void each_word_is_counted_by_itself(void **state)
{
    char(*words)[BYTES] = made_words();
    struct word_table table;
    (void)state;

    word_table_init(&table);
    CHECK_INT(word_table_find(&table, SLICE("1")), WORD_TABLE_NONE);
    for (uint32_t times = 0; times < 3; times++)
        for (uint32_t i = 0; i < WORDS; i += 1 + times)
            CHECK_INT(word_table_add(&table, word_of(words, i)), i);
    CHECK_INT(table.count, WORDS);
    for (uint32_t i = 0; i < WORDS; i++) {
        CHECK_INT(word_table_find(&table, word_of(words, i)), i);
        CHECK_INT(table.entries[i].count, 1 + (i % 2 == 0) + (i % 3 == 0));
    }
    CHECK_INT(word_table_find(&table, SLICE("absent")), WORD_TABLE_NONE);
    word_table_deinit(&table);
    free(words);
}

/* A table of any size finds the words as they are found alone. */
static void several_words_are_found_at_once(void **state)
{
    char(*words)[BYTES] = made_words();
    struct word_table table;
    (void)state;

    word_table_init(&table);
    for (uint32_t size = 0; size < WORDS; size++) {
        struct slice asked[WORD_TABLE_MANY];
        uint32_t entries[WORD_TABLE_MANY];

        for (uint32_t i = 0; i < WORD_TABLE_MANY; i++)
            asked[i] = word_of(words, (size * 7 + i * i * 13) % WORDS);
        asked[3] = asked[4]; /* one may be there twice */
        word_table_find_many(&table, asked, WORD_TABLE_MANY, entries);
        for (uint32_t i = 0; i < WORD_TABLE_MANY; i++)
            CHECK_INT(entries[i], word_table_find(&table, asked[i]));
        word_table_add(&table, word_of(words, size));
    }
    word_table_find_many(&table, NULL, 0, NULL);
    word_table_deinit(&table);
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_word_is_counted_by_itself),
        cmocka_unit_test(several_words_are_found_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
