#include "inputs/encoders.h"

static bool is_hash(const struct input_spec *spec)
{
    return spec->type == INPUT_CATEGORY && spec->rule == RULE_HASH;
}

bool fits_hash(const struct transform_input *input)
{
    return input->spec.bound_count == 0 && input->word_count == 0 && input->hash_buckets > 0;
}

static void explain(const struct input_spec *spec, struct text *out)
{
    text_printf(out, " of %u hash buckets", spec->vocabulary_max);
}

static void describe(const struct transform_input *input, bool keeps_numbers, struct text *out)
{
    (void)keeps_numbers;
    text_printf(out, " of %u hash buckets", input->hash_buckets);
}

const struct encoder hash_encoder = {
    .name = "hash",
    .is_of = is_hash,
    .reads = READS_WORD,
    .counts = COUNTS_NOTHING,
    .fits = fits_hash,
    .size = size_of_category,
    .encode = encode_word,
    .explain = explain,
    .describe = describe,
};
