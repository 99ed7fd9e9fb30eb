#include "inputs/weighted_terms.h"

#include <stdlib.h>
#include <string.h>

#include "inputs/cells/cells.h"
#include "inputs/encoders.h"
#include "inputs/texts/text_terms.h"
#include "inputs/word_table.h"

#define PLACES (4 * TEXT_WORDS_MAX) /* a power of two */

/* ---- the different terms of a text ---- */

struct seen_term {
    uint64_t hash;
    uint32_t count;
    int32_t id;
};

/* Two terms of one hash of 64 bits are taken for one. */
struct seen_terms {
    uint32_t most, count;
    struct seen_term terms[TEXT_WORDS_MAX];
    uint16_t places[PLACES]; /* number of a term, from 1; 0: empty */
};

static void seen_init(struct seen_terms *seen, uint32_t most)
{
    seen->most = most;
    seen->count = 0;
    memset(seen->places, 0, sizeof seen->places);
}

/* The term of this hash, whose count is 0 where it is new; NULL: there are as many as may be. */
static struct seen_term *seen_find(struct seen_terms *seen, uint64_t hash)
{
    uint32_t place = (uint32_t)hash & (PLACES - 1);

    for (; seen->places[place]; place = (place + 1) & (PLACES - 1))
        if (seen->terms[seen->places[place] - 1].hash == hash)
            return &seen->terms[seen->places[place] - 1];
    if (seen->count == seen->most)
        return NULL;
    seen->terms[seen->count] = (struct seen_term){.hash = hash};
    seen->places[place] = (uint16_t)++seen->count;
    return &seen->terms[seen->count - 1];
}

/* ---- training ---- */

static enum status each_word(const struct input_spec *spec, struct slice text, word_taker *take,
                             void *self, struct error *err)
{
    struct text_terms terms = text_terms_of(text, spec->has_pairs);
    struct seen_terms seen;
    struct slice term;

    seen_init(&seen, spec->words_max);
    while (text_terms_next(&terms, &term)) {
        struct seen_term *one = seen_find(&seen, transform_word_hash(term));

        if (!one)
            return take(self, (struct slice){"", 0}, err);
        if (one->count++ == 0)
            TRY(take(self, term, err));
    }
    return STATUS_OK;
}

/* ---- rows ---- */

static void see_terms(const struct transform_input *input, struct slice text,
                      struct seen_terms *seen)
{
    struct text_terms terms = text_terms_of(text, input->spec.has_pairs);
    struct slice term;

    seen_init(seen, input->spec.words_max);
    while (text_terms_next(&terms, &term)) {
        struct seen_term *one = seen_find(seen, transform_word_hash(term));

        if (one && one->count++ == 0)
            one->id = word_id(input, term);
    }
}

static int compare_ids(const void *a, const void *b)
{
    const struct list_selected *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static bool text_ids(const struct transform_input *input, struct slice text, int32_t *ids)
{
    struct list_selected items[TEXT_WORDS_MAX];
    struct seen_terms seen;
    uint32_t used = 0;

    see_terms(input, text, &seen);
    for (uint32_t i = 0; i < seen.count; i++) {
        const struct seen_term *one = &seen.terms[i];
        const double rarity =
            one->id >= 0 && input->rarity ? input->rarity[(uint32_t)one->id - input->first_id] : 1;

        if (one->id >= 0)
            items[used++] = (struct list_selected){one->id, rarity * one->count};
    }
    qsort(items, used, sizeof *items, compare_ids);
    list_selected_put(input, items, used, ids);
    return true;
}

/* ---- the input ---- */

static bool is_weighted(const struct input_spec *spec)
{
    return spec->type == INPUT_TEXT && !spec->list.form && spec->weight;
}

static bool fits(const struct transform_input *input)
{
    return input->spec.rule == RULE_WORDS && input->spec.is_weighted && input->hash_buckets == 0 &&
           input->spec.words_max > 0 && input->spec.words_max <= TEXT_WORDS_MAX &&
           input->word_count <= CATEGORY_WORDS_MAX;
}

/* A layer has one row at least, also of texts without a word. */
static struct input_size size_of_terms(const struct transform_input *input, bool keeps_numbers)
{
    (void)keeps_numbers;
    return (struct input_size){.ids = transform_text_room(input),
                               .id_rows = input->word_count > 0 ? input->word_count : 1};
}

static enum status encode(const struct transform_input *input, const struct cell *cells,
                          struct encoded_row *row, struct error *err)
{
    char buffer[TRANSFORM_WORD_BUFFER];
    struct slice text;
    bool is_null;

    TRY(cell_to_word(&cells[input->column], input_column(&input->spec), buffer, &text, &is_null,
                     err));
    text_ids(input, text, row->ids + input->id_offset);
    return STATUS_OK;
}

static void append_terms(const struct input_spec *spec, struct text *out)
{
    text_printf(out, ", the first %u different words%s of each text, by %s", spec->words_max,
                spec->has_pairs ? " and pairs of words" : "",
                spec->weight == TEXT_WEIGHT_TFIDF ? "how often and how rare they are"
                                                  : "how often they are there");
    if (spec->combiner != (spec->weight == TEXT_WEIGHT_TFIDF ? COMBINER_SQRTN : COMBINER_SUM))
        text_printf(out, ", by their %s", combiner_words[spec->combiner]);
}

static void explain(const struct input_spec *spec, struct text *out)
{
    text_printf(out, " with a vocabulary of up to %u", spec->vocabulary_max);
    append_terms(spec, out);
}

static void describe(const struct transform_input *input, bool keeps_numbers, struct text *out)
{
    (void)keeps_numbers;
    text_append_string(out, " with a vocabulary");
    append_terms(&input->spec, out);
}

const struct encoder weighted_encoder = {
    .name = "weighted words",
    .is_of = is_weighted,
    .reads = READS_TEXT,
    .counts = COUNTS_WORDS,
    .is_named = true,
    .fits = fits,
    .size = size_of_terms,
    .encode = encode,
    .text_ids = text_ids,
    .each_word = each_word,
    .explain = explain,
    .describe = describe,
};
