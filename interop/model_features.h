/*
 * model_features.h - a model's inputs as the numbered features of a file.
 *
 * A feature is an input of the transform, in its order; an offset is none. A category has codes
 * from 0 up: those of its words in the order of the vocabulary, then one for each of its hash
 * buckets.
 */
#pragma once

#include "kinds/trees/trees_model.h"

struct model_feature {
    const struct transform_input *input;
    bool is_category; /* or a number that trees take as a code */
    uint32_t codes;   /* codes of a category; of a number, as many as its trees know */
};

struct model_features {
    uint32_t count;
    struct model_feature *of;
    uint32_t *dense, *ids; /* the feature of a column */
};

/* Lives in the arena, and borrows from the model, whose kind is `trees`. */
enum status model_features_find(const struct model *model, struct arena *arena,
                                struct model_features *features, struct error *err);

/* The number added to a model's base where the file has no offset: predictions are for rows whose
 * offset is 0. */
static inline double model_origin(const struct model *model)
{
    return model->label_mean + transform_offset_of_0(&model->transform);
}

/* The feature that an inner node tests. */
static inline uint32_t model_feature_of(const struct model_features *features, const float *node)
{
    const uint32_t column = (uint32_t)node[NODE_COLUMN];

    return node[NODE_TEST] == NODE_WORD_IN ? features->ids[column] : features->dense[column];
}
