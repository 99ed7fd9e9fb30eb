#include "inputs/bounds.h"
#include "inputs/encoders.h"

#define BOUNDS_NAMED 8

static bool is_bucket(const struct input_spec *spec)
{
    return spec->type == INPUT_CATEGORY && spec->rule == RULE_BUCKET;
}

static bool fits(const struct transform_input *input)
{
    return input->word_count == input->spec.bound_count + 1 && input->word_count <= BUCKETS_MAX &&
           input->hash_buckets == 0 && bounds_ascend(input->spec.bounds, input->spec.bound_count);
}

static int32_t number_id(const struct transform_input *input, double number)
{
    return (int32_t)(input->first_id +
                     bounds_bucket(input->spec.bounds, input->spec.bound_count, number));
}

static void explain(const struct input_spec *spec, struct text *out)
{
    const uint32_t shown = spec->bound_count < BOUNDS_NAMED ? spec->bound_count : BOUNDS_NAMED;

    if (spec->bound_count == 0) {
        text_printf(out, " of %u buckets, by quantiles of the training rows", spec->vocabulary_max);
        return;
    }
    text_printf(out, " of %u buckets, with bounds", spec->vocabulary_max);
    for (uint32_t i = 0; i < shown; i++) {
        text_append_string(out, i > 0 ? ", " : " ");
        text_append_real(out, spec->bounds[i]);
    }
    if (shown < spec->bound_count)
        text_printf(out, " and %u others", spec->bound_count - shown);
}

static void describe(const struct transform_input *input, bool keeps_numbers, struct text *out)
{
    (void)keeps_numbers;
    text_printf(out, " of %u bucket%s", input->spec.bound_count + 1,
                input->spec.bound_count > 0 ? "s" : "");
}

const struct encoder bucket_encoder = {
    .name = "bucket",
    .is_of = is_bucket,
    .reads = READS_NUMBER,
    .counts = COUNTS_VALUES,
    .fits = fits,
    .size = size_of_category,
    .encode = encode_number_id,
    .number_id = number_id,
    .explain = explain,
    .describe = describe,
};
