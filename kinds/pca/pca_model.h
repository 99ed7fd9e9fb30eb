/*
 * pca_model.h - what a stored model of kind "pca" consists of.
 *
 * Inputs are numbers as the transform gives them, of which NULL is the mean and says nothing else,
 * and behind them a column of 0 and 1 for each word of a category (scoring/transform/spread.h). The
 * loadings of a component have the square 1 together, and components are at right angles to each
 * other, so that a row's squares are those of its components and of its distance to what they give
 * back. Variances are of the training rows, those of the components in their order, which is that
 * of falling variance.
 */
#pragma once

#include "scoring/model.h"

#define PCA_INPUTS_MAX 1024

struct pca_model {
    uint32_t components, inputs;
    const float *means;      /* (inputs): training rows' means */
    const float *loadings;   /* (components, inputs) */
    const double *variances; /* (components) */
    double variance;         /* variance of all inputs together */
};

static inline const struct pca_model *pca_of(const struct model *model)
{
    return model->content;
}
