#include <string.h>

#include "inputs/cells.h"
#include "inputs/encoders.h"
#include "inputs/text_words.h"

static bool is_text(const struct input_spec *spec)
{
    return spec->type == INPUT_TEXT && !spec->list.form;
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
    struct text_words words = text_words_of(text);
    struct slice word;
    uint32_t count = 0;

    while (count < input->spec.words_max && text_words_next(&words, &word)) {
        const uint64_t bucket = transform_word_hash(word) % input->hash_buckets;

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

static void explain(const struct input_spec *spec, struct text *out)
{
    text_printf(out, " of up to %u different words, in %u hash buckets", spec->words_max,
                spec->vocabulary_max);
}

static void describe(const struct transform_input *input, bool keeps_numbers, struct text *out)
{
    (void)keeps_numbers;
    text_printf(out, " of up to %u different words, in %u hash buckets", input->spec.words_max,
                input->hash_buckets);
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
