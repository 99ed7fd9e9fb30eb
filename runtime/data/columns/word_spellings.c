#include "runtime/data/columns/word_spellings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs/cells/alike.h"
#include "inputs/cells/cell_text.h"
#include "params/notice_list.h"
#include "runtime/data/columns/look_alikes.h"

#define SPELLINGS_NAMED 3  /* spellings of the word that has most rows in others than its first */
#define SPELLING_BYTES  40 /* bytes of a word in a notice */
#define NUMBER_BYTES    32 /* bytes of a folded number, at most */

struct spelling {
    struct slice folded; /* small letters, no spaces around them; a number's one spelling; or what
                            all that look alike have in common */
    struct slice word;
    bool is_number;
    uint64_t rows;
};

/* Words that are one when they are folded, the most frequent first. */
struct spelled_word {
    const struct spelling *spellings;
    size_t count;
    size_t other;    /* the most frequent one that counts as another than the first */
    uint64_t others; /* rows of those that do */
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

/* Do the two differ in capitals of ASCII or spaces around them at most? */
static bool is_plainly_same(const struct spelling *a, const struct spelling *b)
{
    return slice_equal_fold(without_spaces(a->word), without_spaces(b->word));
}

/* The spellings from the first one on that fold to the same; by_look: of those that look alike. */
static struct spelled_word word_at(const struct spelling *spellings, size_t left, bool by_look)
{
    struct spelled_word word = {.spellings = spellings, .count = 1, .other = 1};

    for (;
         word.count < left && slice_compare(spellings[word.count].folded, spellings[0].folded) == 0;
         word.count++) {
        const struct spelling *spelling = &spellings[word.count];

        if (by_look && is_plainly_same(spelling, spellings))
            continue;
        if (word.others == 0)
            word.other = word.count;
        word.others += spelling->rows;
    }
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
               "%s \"%.*s\": %llu %s differ from others in %s alone, such as %s",
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

static void note_look(struct slice name, bool are_classes, const struct spelled_word *most,
                      size_t spellings, struct notice_list *notices)
{
    const struct spelling *first = &most->spellings[0], *other = &most->spellings[most->other];
    const struct looking words[2] = {{without_spaces(other->word), other->rows},
                                     {without_spaces(first->word), first->rows}};

    look_alikes_note(words, name, are_classes, spellings, notices);
}

/* ---- all words ---- */

/* The spelling, folded as others are that may mean the same; bytes: room for that. */
static struct spelling spelling_of(const struct word_entry *entry, char *bytes, bool by_look)
{
    const struct slice word = without_spaces(entry->word);
    const struct text_look look = text_look_at(word);
    int size;

    if (by_look)
        return (struct spelling){alike_fold(word, bytes), entry->word, false, entry->count};
    if (look.kind == TEXT_NUMBER) {
        size = snprintf(bytes, NUMBER_BYTES, "%.17g", look.number + 0.0); /* one zero */
        return (struct spelling){{bytes, (size_t)size}, entry->word, true, entry->count};
    }
    for (size_t k = 0; k < word.size; k++)
        bytes[k] = lower(word.data[k]);
    return (struct spelling){{bytes, word.size}, entry->word, false, entry->count};
}

/* Spellings in their order; bytes: room for what is folded. */
static size_t fold(const struct word_table *words, bool by_look, char *bytes,
                   struct spelling *spellings, uint64_t *rows)
{
    size_t count = 0;

    *rows = 0;
    for (uint32_t i = 0; i < words->count; i++) {
        const struct word_entry *entry = &words->entries[i];

        if (entry->count == 0)
            continue;
        spellings[count] = spelling_of(entry, bytes, by_look);
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

/* Can a word look like another that it is not by capitals of ASCII and spaces around it? */
static bool may_look_alike(const struct word_table *words)
{
    bool is_other = false;

    for (uint32_t i = 0; i < words->count && !is_other; i++) {
        const struct slice word = without_spaces(words->entries[i].word);

        for (size_t k = 0; k < word.size; k++)
            is_other |= (word.data[k] & 0x80) != 0 || (unsigned char)word.data[k] < ' ' ||
                        (word.data[k] == ' ' && word.data[k - 1] == ' ');
    }
    return is_other;
}

/* spellings, bytes: room for all words. */
static void note_words(const struct word_table *words, struct slice name, bool are_classes,
                       bool by_look, struct spelling *spellings, char *bytes,
                       struct notice_list *notices)
{
    struct spelled_word most = {.others = 0};
    uint64_t rows, others = 0;
    size_t several = 0;
    const size_t count = fold(words, by_look, bytes, spellings, &rows);

    for (size_t i = 0; i < count;) {
        const struct spelled_word word = word_at(spellings + i, count - i, by_look);

        several += word.others > 0 ? word.count : 0;
        others += word.others;
        if (word.others > most.others)
            most = word;
        i += word.count;
    }
    if (others > 0 &&
        (are_classes || (others >= SPELLINGS_ROWS_MIN && others * SPELLINGS_ROWS_OF >= rows)))
        (by_look ? note_look : note)(name, are_classes, &most, several, notices);
}

enum status word_spellings_note(const struct word_table *words, struct slice name, bool are_classes,
                                struct notice_list *notices, struct error *err)
{
    struct spelling *spellings;
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
    note_words(words, name, are_classes, false, spellings, bytes, notices);
    if (may_look_alike(words))
        note_words(words, name, are_classes, true, spellings, bytes, notices);
    free(bytes);
    free(spellings);
    return STATUS_OK;
}
