#include "runtime/data/word_spellings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs/cell_text.h"
#include "params/notice_list.h"

#define SPELLINGS_NAMED 3  /* spellings of the word that has most rows in others than its first */
#define SPELLING_BYTES  40 /* bytes of a word in a notice */
#define NUMBER_BYTES    32 /* bytes of a folded number, at most */

struct spelling {
    struct slice folded; /* small letters, no spaces around them; a number's one spelling */
    struct slice word;
    bool is_number;
    uint64_t rows;
};

/* Words that are one when they are folded, the most frequent first. */
struct spelled_word {
    const struct spelling *spellings;
    size_t count;
    uint64_t others; /* rows of all but the first */
};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static struct slice without_spaces(struct slice word)
{
    while (word.size > 0 && word.data[0] == ' ')
        word = (struct slice){word.data + 1, word.size - 1};
    while (word.size > 0 && word.data[word.size - 1] == ' ')
        word.size--;
    return word;
}

static int compare_spellings(const void *a, const void *b)
{
    const struct spelling *x = a, *y = b;
    const int order = slice_compare(x->folded, y->folded);

    if (order != 0)
        return order;
    if (x->rows != y->rows)
        return x->rows > y->rows ? -1 : 1;
    return slice_compare(x->word, y->word);
}

/* "AA" beside "Aa": the same letter twice. */
static bool is_genotype(const struct spelling *spelling)
{
    return spelling->word.size == 2 && spelling->folded.size == 2 &&
           spelling->folded.data[0] == spelling->folded.data[1];
}

/* The spellings from the first one on that fold to the same. */
static struct spelled_word word_at(const struct spelling *spellings, size_t left)
{
    struct spelled_word word = {.spellings = spellings, .count = 1};

    for (;
         word.count < left && slice_compare(spellings[word.count].folded, spellings[0].folded) == 0;
         word.count++)
        word.others += spellings[word.count].rows;
    if (is_genotype(spellings))
        word.others = 0;
    return word;
}

static void note(struct slice name, bool are_classes, const struct spelled_word *most,
                 size_t spellings, struct notice_list *notices)
{
    const size_t named = most->count < SPELLINGS_NAMED ? most->count : SPELLINGS_NAMED;
    struct text list;

    text_init(&list, NOTICE_BYTES_MAX);
    for (size_t i = 0; i < named; i++) {
        text_append_separator(&list, i, named);
        text_printf(&list, "'%.*s' in %llu row%s",
                    SLICE_FORMAT(slice_prefix(most->spellings[i].word, SPELLING_BYTES)),
                    (unsigned long long)most->spellings[i].rows,
                    most->spellings[i].rows == 1 ? "" : "s");
    }
    notice_add(notices, are_classes ? NOTICE_LABEL : NOTICE_READING,
               "%s \"%.*s\": %llu %s differ from others in %s alone, as %s",
               are_classes ? "label column" : "column", SLICE_FORMAT(name),
               (unsigned long long)spellings, are_classes ? "classes" : "words",
               most->spellings->is_number ? "the spelling of a number"
                                          : "capitals or spaces around them",
               text_string(&list));
    text_deinit(&list);
    if (most->spellings->is_number)
        notice_hint(
            notices,
            "If they mean the same, CASE %s WHEN '%.*s' THEN '%.*s' ELSE %s END AS %s in the "
            "SELECT makes them one, or where all are numbers CAST(%s AS REAL).",
            SQL_NAME(name), SLICE_FORMAT(slice_prefix(most->spellings[1].word, SPELLING_BYTES)),
            SLICE_FORMAT(slice_prefix(most->spellings[0].word, SPELLING_BYTES)), SQL_NAME(name),
            SQL_NAME(name), SQL_NAME(name));
    else
        notice_hint(notices,
                    "If they mean the same, lower(trim(%s)) AS %s in the SELECT makes them one.",
                    SQL_NAME(name), SQL_NAME(name));
}

/* The spelling, folded as others are that may mean the same; bytes: room for that. */
static struct spelling spelling_of(const struct word_entry *entry, char *bytes)
{
    const struct slice word = without_spaces(entry->word);
    const struct text_look look = text_look_at(word);
    int size;

    if (look.kind == TEXT_NUMBER) {
        size = snprintf(bytes, NUMBER_BYTES, "%.17g", look.number + 0.0); /* one zero */
        return (struct spelling){{bytes, (size_t)size}, entry->word, true, entry->count};
    }
    for (size_t k = 0; k < word.size; k++)
        bytes[k] = lower(word.data[k]);
    return (struct spelling){{bytes, word.size}, entry->word, false, entry->count};
}

/* Spellings in their order; bytes: room for what is folded. */
static size_t fold(const struct word_table *words, char *bytes, struct spelling *spellings,
                   uint64_t *rows)
{
    size_t count = 0;

    for (uint32_t i = 0; i < words->count; i++) {
        const struct word_entry *entry = &words->entries[i];

        if (entry->count == 0)
            continue;
        spellings[count] = spelling_of(entry, bytes);
        bytes += spellings[count++].folded.size + 1;
        *rows += entry->count;
    }
    qsort(spellings, count, sizeof *spellings, compare_spellings);
    return count;
}

static size_t bytes_of(const struct word_table *words)
{
    size_t bytes = 1;

    for (uint32_t i = 0; i < words->count; i++)
        bytes += words->entries[i].word.size + NUMBER_BYTES;
    return bytes;
}

enum status word_spellings_note(const struct word_table *words, struct slice name, bool are_classes,
                                struct notice_list *notices, struct error *err)
{
    struct spelled_word most = {.others = 0};
    struct spelling *spellings;
    uint64_t rows = 0, others = 0;
    size_t several = 0, count;
    char *bytes;

    if (words->count < 2 || words->count > SPELLINGS_WORDS_MAX)
        return STATUS_OK;
    bytes = malloc(bytes_of(words));
    spellings = malloc(words->count * sizeof *spellings);
    if (!bytes || !spellings) {
        free(bytes);
        free(spellings);
        return fail_no_memory(err);
    }
    count = fold(words, bytes, spellings, &rows);
    for (size_t i = 0; i < count;) {
        const struct spelled_word word = word_at(spellings + i, count - i);

        several += word.others > 0 ? word.count : 0;
        others += word.others;
        if (word.others > most.others)
            most = word;
        i += word.count;
    }
    if (others > 0 &&
        (are_classes || (others >= SPELLINGS_ROWS_MIN && others * SPELLINGS_ROWS_OF >= rows)))
        note(name, are_classes, &most, several, notices);
    free(bytes);
    free(spellings);
    return STATUS_OK;
}
