#include <string.h>

#include "inputs/cells/cells.h"
#include "inputs/encoders.h"
#include "inputs/texts/text_terms.h"

static bool is_hashed(const struct input_spec *spec)
{
    return spec->type == INPUT_TEXT && !spec->list.form && !spec->weight;
}

static bool is_text(const struct input_spec *spec)
{
    return is_hashed(spec) && !spec->has_pairs;
}

static bool is_of_pairs(const struct input_spec *spec)
{
    return is_hashed(spec) && spec->has_pairs;
}

bool fits_texts(const struct transform_input *input)
{
    return input->hash_buckets > 0 && input->hash_buckets <= CATEGORY_WORDS_MAX &&
           input->spec.words_max > 0 && input->spec.words_max <= TEXT_WORDS_MAX &&
           input->word_count == 0;
}

static bool fits(const struct transform_input *input)
{
    return fits_texts(input) && input->spec.rule == RULE_WORDS && !input->spec.is_weighted;
}

/* Ids ascend: the sum of a text's rows has the same bits whatever the order of its words. */
static uint32_t insert_id(int32_t *ids, uint32_t count, int32_t id)
{
    uint32_t at = count;

    while (at > 0 && ids[at - 1] > id)
        at--;
    if (at > 0 && ids[at - 1] == id)
        return count;
    memmove(ids + at + 1, ids + at, (count - at) * sizeof *ids);
    ids[at] = id;
    return count + 1;
}

static bool text_ids(const struct transform_input *input, struct slice text, int32_t *ids)
{
    struct text_terms terms = text_terms_of(text, input->spec.has_pairs);
    struct slice term;
    uint32_t count = 0;

    while (count < input->spec.words_max && text_terms_next(&terms, &term)) {
        const uint64_t bucket = transform_word_hash(term) % input->hash_buckets;

        count = insert_id(ids, count, (int32_t)(input->first_id + bucket));
    }
    for (; count < input->spec.words_max; count++)
        ids[count] = -1;
    return true;
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

static void append_words(uint32_t words, bool has_pairs, uint32_t buckets, struct text *out)
{
    text_printf(out, " of up to %u different words%s, in %u hash buckets", words,
                has_pairs ? " and pairs of words" : "", buckets);
}

static void explain(const struct input_spec *spec, struct text *out)
{
    append_words(spec->words_max, spec->has_pairs, spec->vocabulary_max, out);
}

static void describe(const struct transform_input *input, bool keeps_numbers, struct text *out)
{
    (void)keeps_numbers;
    append_words(input->spec.words_max, input->spec.has_pairs, input->hash_buckets, out);
}

const struct encoder text_encoder = {
    .name = "text",
    .is_of = is_text,
    .reads = READS_TEXT,
    .counts = COUNTS_NOTHING,
    .fits = fits,
    .size = size_of_texts,
    .encode = encode,
    .text_ids = text_ids,
    .explain = explain,
    .describe = describe,
};

const struct encoder pairs_encoder = {
    .name = "pairs of words",
    .is_of = is_of_pairs,
    .reads = READS_TEXT,
    .counts = COUNTS_NOTHING,
    .is_named = true,
    .fits = fits,
    .size = size_of_texts,
    .encode = encode,
    .text_ids = text_ids,
    .explain = explain,
    .describe = describe,
};
