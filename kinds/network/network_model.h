/*
 * network_model.h - what a stored model of kind "network" consists of.
 *
 * Layers of z = a W + b, a' = activation(z). The first layer takes the dense columns and adds one
 * row of its block of ids for each selected id. No hidden layer is a linear model. The last
 * layer's z are the outputs.
 */
#pragma once

#include "scoring/model.h"

#define NETWORK_LAYERS_MAX (HIDDEN_LAYERS_MAX + 1)
#define NETWORK_WIDTH_MAX  CLASSES_MAX /* the last layer has an output a class */

struct layer {
    uint32_t rows, width; /* W is (rows, width), row major; first layer: dense columns, then ids */
    const float *weights;
    const float *bias; /* (width) */
};

struct network_model {
    enum activation activation; /* between two layers */
    struct layer *layers;
    uint32_t layer_count;
};

/* The content of a model of this kind. */
static inline const struct network_model *network_of(const struct model *model)
{
    return model->content;
}

/* One logit of two classes and of a number, else one a class. */
static inline uint32_t network_outputs(enum task task, uint32_t classes)
{
    return task == TASK_REGRESSION || classes == 2 ? 1 : classes;
}
