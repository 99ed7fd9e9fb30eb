#include "scoring/transform/feature_names.h"

uint32_t feature_count(const struct transform_input *input)
{
    if (input->spec.offset)
        return 0;
    return input->spec.type == INPUT_NUMERIC
               ? input->dense_count
               : input->word_count + input->hash_buckets + (uint32_t)input->has_nulls;
}

uint32_t feature_first(const struct transform *transform, const struct transform_input *input)
{
    return input->spec.type == INPUT_NUMERIC ? input->dense_offset
                                             : transform_features(transform) + input->first_id;
}

void feature_name(const struct transform_input *input, uint32_t feature, struct text *name)
{
    const bool is_number = input->spec.type == INPUT_NUMERIC;

    text_clear(name);
    text_append(name, input->spec.name);
    if (is_number && feature == 0)
        return;
    if (!is_number && feature < input->word_count) {
        text_append_char(name, '=');
        text_append(name, input->words[feature]);
    } else if (!is_number && feature - input->word_count < input->hash_buckets) {
        text_printf(name, input->spec.rule == RULE_ID ? "=%u" : " in bucket %u",
                    feature - input->word_count);
    } else {
        text_append_string(name, " is null");
    }
}

static enum status keep_names(const struct transform *transform, struct text *name,
                              struct arena *arena, struct slice *names, struct error *err)
{
    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];
        struct slice *own = names + 1 + feature_first(transform, input);

        for (uint32_t feature = 0; feature < feature_count(input); feature++) {
            feature_name(input, feature, name);
            own[feature] = arena_copy(arena, text_slice(name));
            if (name->failed || !own[feature].data)
                return fail_no_memory(err);
        }
    }
    return STATUS_OK;
}

enum status feature_names(const struct transform *transform, struct arena *arena,
                          struct slice **names, struct error *err)
{
    struct text name;
    enum status status;

    *names = ARENA_NEW(arena, struct slice, 1 + transform->dense_width + transform->id_rows);
    if (!*names)
        return fail_no_memory(err);
    (*names)[0] = SLICE(INTERCEPT_NAME);
    text_init(&name, TEXT_MAXIMUM);
    status = keep_names(transform, &name, arena, *names, err);
    text_deinit(&name);
    return status;
}
