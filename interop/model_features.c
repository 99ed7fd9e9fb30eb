#include "interop/model_features.h"

/* Finds the numbers that the trees take as codes. */
static void find_codes(const struct trees_model *trees, struct model_features *features)
{
    for (uint32_t i = 0; i < trees->node_count; i++) {
        const float *node = trees->nodes + (size_t)i * NODE_NUMBERS;
        struct model_feature *feature;
        uint32_t codes;

        if (node[NODE_TEST] != NODE_IS_IN)
            continue;
        feature = &features->of[model_feature_of(features, node)];
        codes = (uint32_t)node[NODE_SET_ROWS] * TREE_SET_NUMBERS * 16;
        feature->is_category = true;
        if (codes > feature->codes)
            feature->codes = codes;
    }
}

enum status model_features_find(const struct model *model, struct arena *arena,
                                struct model_features *features, struct error *err)
{
    const struct transform *transform = &model->transform;
    const uint32_t count = transform->input_count - (transform->offset_width > 0);
    uint32_t number = 0;

    *features = (struct model_features){.count = count,
                                        .of = ARENA_NEW(arena, struct model_feature, count),
                                        .dense = ARENA_NEW(arena, uint32_t, transform->dense_width),
                                        .ids = ARENA_NEW(arena, uint32_t, transform->id_count)};
    if (!features->of || !features->dense || !features->ids)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];

        if (input->spec.rule != RULE_WORDS) {
            fail(err, STATUS_UNSUPPORTED,
                 "input \"%.*s\" is made by a function of COLUMN, which the file has no place for",
                 SLICE_FORMAT(input->spec.name));
            return error_hint(err, "Make such a column in the SELECT, and train a model on that.");
        }
        if (input->spec.offset)
            continue;
        features->of[number].input = input;
        if (input->spec.type == INPUT_NUMERIC) {
            features->dense[input->dense_offset] = number++;
            continue;
        }
        features->of[number].is_category = true;
        features->of[number].codes = input->word_count + input->hash_buckets;
        features->ids[input->id_offset] = number++;
    }
    find_codes(model->content, features);
    return STATUS_OK;
}
