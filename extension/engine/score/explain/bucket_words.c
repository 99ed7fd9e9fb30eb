#include "extension/engine/score/explain/bucket_words.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cell_values.h"
#include "inputs/cells/cells.h"
#include "inputs/texts/text_words.h"

#define NAMED      3
#define NAME_BYTES 40 /* bytes of a word that are shown */
#define LIST_BYTES (NAMED * (NAME_BYTES + 32) + 32)

/* ---- rows ---- */

static uint32_t texts_of(const struct transform *transform)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < transform->input_count; i++)
        count += transform->inputs[i].spec.list.form == LIST_WORDS &&
                 transform->inputs[i].spec.element == 0;
    return count;
}

enum status bucket_words_init(struct bucket_words *words, const struct transform *transform,
                              struct error *err)
{
    const uint32_t count = texts_of(transform);

    *words = (struct bucket_words){.transform = transform};
    arena_init(&words->arena, (size_t)BUCKET_WORDS_MAX * TEXT_WORD_BYTES * 2);
    words->texts = calloc(count + (size_t)1, sizeof *words->texts);
    if (!words->texts)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];
        struct bucket_text *text = &words->texts[words->count];

        if (input->spec.list.form != LIST_WORDS || input->spec.element != 0)
            continue;
        words->count++;
        text->input = i;
        text->buckets = input->spec.list.size;
        word_table_init(&text->table);
        text->counts = calloc(text->buckets, sizeof *text->counts);
        if (!text->counts)
            return fail_no_memory(err);
    }
    return STATUS_OK;
}

/* The words alone. */
static void release_words(struct bucket_words *words)
{
    for (uint32_t i = 0; i < words->count; i++)
        word_table_deinit(&words->texts[i].table);
    arena_deinit(&words->arena);
}

void bucket_words_deinit(struct bucket_words *words)
{
    release_words(words);
    for (uint32_t i = 0; i < words->count; i++) {
        free(words->texts[i].counts);
        free(words->texts[i].sorted);
        free(words->texts[i].firsts);
    }
    free(words->texts);
}

/* The table borrows words: a new one is copied. */
static enum status add_word(struct bucket_words *words, struct bucket_text *text, struct slice word,
                            struct error *err)
{
    if (word_table_find(&text->table, word) == WORD_TABLE_NONE) {
        words->is_full = ++words->words > BUCKET_WORDS_MAX;
        if (words->is_full)
            return STATUS_OK;
        word = arena_copy(&words->arena, word);
        if (!word.data)
            return fail_no_memory(err);
    }
    return word_table_add(&text->table, word) == WORD_TABLE_NONE ? fail_no_memory(err) : STATUS_OK;
}

static enum status add_text(struct bucket_words *words, struct bucket_text *text,
                            const struct cell *cells, struct error *err)
{
    const struct transform_input *input = &words->transform->inputs[text->input];
    char buffer[TRANSFORM_WORD_BUFFER];
    struct counted_words counted;
    struct slice bytes, word;
    bool is_null;

    TRY(cell_to_word(&cells[input->column], input->spec.source, buffer, &bytes, &is_null, err));
    counted =
        counted_words_of(is_null ? (struct slice){"", 0} : bytes, &input->spec.list, text->counts);
    while (!words->is_full && counted_words_next(&counted, &word))
        TRY(add_word(words, text, word, err));
    return STATUS_OK;
}

enum status bucket_words_add(struct bucket_words *words, const struct cell *cells,
                             struct error *err)
{
    for (uint32_t i = 0; i < words->count && !words->is_full; i++)
        TRY(add_text(words, &words->texts[i], cells, err));
    if (words->is_full)
        release_words(words);
    return STATUS_OK;
}

/* ---- names ---- */

static int compare_words(const void *a, const void *b)
{
    const struct bucket_word *x = a, *y = b;

    if (x->bucket != y->bucket)
        return x->bucket < y->bucket ? -1 : 1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return slice_compare(x->word, y->word);
}

static enum status sort_text(struct bucket_text *text, struct error *err)
{
    const uint32_t count = text->table.count;

    text->sorted = calloc(count + (size_t)1, sizeof *text->sorted);
    text->firsts = calloc(text->buckets + (size_t)1, sizeof *text->firsts);
    if (!text->sorted || !text->firsts)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        const struct word_entry *entry = &text->table.entries[i];
        const uint32_t bucket = (uint32_t)(transform_word_hash(entry->word) % text->buckets);

        text->sorted[i] = (struct bucket_word){entry->word, entry->count, bucket};
        text->firsts[bucket + 1]++;
    }
    for (uint32_t i = 0; i < text->buckets; i++)
        text->firsts[i + 1] += text->firsts[i];
    qsort(text->sorted, count, sizeof *text->sorted, compare_words);
    return STATUS_OK;
}

enum status bucket_words_sort(struct bucket_words *words, struct error *err)
{
    for (uint32_t i = 0; i < words->count; i++)
        TRY(sort_text(&words->texts[i], err));
    return STATUS_OK;
}

static const struct bucket_text *text_of(const struct bucket_words *words, uint32_t input)
{
    for (uint32_t i = 0; i < words->count; i++)
        if (input - words->texts[i].input < words->texts[i].buckets)
            return &words->texts[i];
    return NULL;
}

enum status bucket_words_name(const struct bucket_words *words, uint32_t input, struct arena *arena,
                              struct cell *name, struct error *err)
{
    const struct bucket_text *text = text_of(words, input);
    const uint32_t *first = text ? &text->firsts[input - text->input] : NULL;
    const uint32_t count = text ? first[1] - first[0] : 0;
    char list[LIST_BYTES] = "";
    size_t size = 0;

    *name = cell_null();
    for (uint32_t i = 0; i < count && i < NAMED; i++) {
        const struct bucket_word *word = &text->sorted[first[0] + i];

        size += (size_t)snprintf(list + size, sizeof list - size, "%s%.*s %llu", i > 0 ? ", " : "",
                                 SLICE_FORMAT(slice_prefix(word->word, NAME_BYTES)),
                                 (unsigned long long)word->count);
    }
    if (count > NAMED)
        snprintf(list + size, sizeof list - size, " and %u more", count - NAMED);
    if (count == 0)
        return STATUS_OK;
    *name = cell_text(arena_copy(arena, slice_of(list)));
    return name->text.data ? STATUS_OK : fail_no_memory(err);
}
