#include "inputs/cells/cells.h"
#include "inputs/encoders.h"

static bool is_id(const struct input_spec *spec)
{
    return spec->type == INPUT_CATEGORY && spec->rule == RULE_ID;
}

int32_t number_as_id(const struct transform_input *input, double number)
{
    return number_is_id(number, input->hash_buckets) ? (int32_t)(input->first_id + (uint32_t)number)
                                                     : -1;
}

static void explain(const struct input_spec *spec, struct text *out)
{
    text_printf(out, " of the ids from 0 to %u", spec->vocabulary_max - 1);
}

static void describe(const struct transform_input *input, bool keeps_numbers, struct text *out)
{
    (void)keeps_numbers;
    text_printf(out, " of the ids from 0 to %u", input->hash_buckets - 1);
}

const struct encoder id_encoder = {
    .name = "id",
    .is_of = is_id,
    .reads = READS_ID,
    .counts = COUNTS_NOTHING,
    .fits = fits_hash,
    .size = size_of_category,
    .encode = encode_number_id,
    .number_id = number_as_id,
    .explain = explain,
    .describe = describe,
};
