#include "inputs/encoders.h"

static bool is_words(const struct input_spec *spec)
{
    return spec->type == INPUT_CATEGORY && spec->rule == RULE_WORDS && !spec->part;
}

bool fits_vocabulary(const struct transform_input *input)
{
    return input->spec.bound_count == 0;
}

void explain_vocabulary(const struct input_spec *spec, struct text *out)
{
    text_printf(out, " of up to %u words", spec->vocabulary_max);
}

void describe_vocabulary(const struct transform_input *input, bool keeps_numbers, struct text *out)
{
    (void)keeps_numbers;
    if (input->hash_buckets > 0)
        text_printf(out, ", %u hash buckets beside its words", input->hash_buckets);
}

const struct encoder words_encoder = {
    .name = "vocabulary",
    .is_of = is_words,
    .reads = READS_WORD,
    .counts = COUNTS_WORDS,
    .fits = fits_vocabulary,
    .size = size_of_category,
    .encode = encode_word,
    .explain = explain_vocabulary,
    .describe = describe_vocabulary,
};
