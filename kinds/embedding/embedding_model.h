/*
 * embedding_model.h - what a stored model of kind "embedding" consists of: what the statement said
 * of its parts, and the arrays that these have (embedding_shape.h).
 */
#pragma once

#include "kinds/embedding/embedding_shape.h"
#include "scoring/model.h"

struct embedding_model {
    struct kind_params params; /* those that the shape follows from */
    struct embedding_shape shape;
    const float *elements[EMBEDDING_ARRAYS_MAX]; /* elements of the shape's arrays */
};

/* The content of a model of this kind. */
static inline const struct embedding_model *embedding_of(const struct model *model)
{
    return model->content;
}

/* Sets those attributes in `to` that the shape follows from to the values of `from`. */
void embedding_copy_shape_params(const struct kind_params *from, struct kind_params *to);
