/*
 * linear_layer.h - a linear model's weights as they are stored: a network of one layer of floats.
 */
#pragma once

#include "base/error.h"
#include "kinds/network/network_model.h"

struct linear_layer {
    struct network_model content; /* the layer's model */
    struct layer layer;
    float *weights, *bias; /* (rows, outputs), (outputs): 0 at the beginning */
};

/* `linear` is zero before. */
enum status linear_layer_init(struct linear_layer *linear, uint32_t rows, uint32_t outputs,
                              struct error *err);
void linear_layer_deinit(struct linear_layer *linear);
/* Sets an output's bias and its weights of all rows. weights: (1 + rows), bias first. */
void linear_layer_set(struct linear_layer *linear, uint32_t output, const double *weights);
