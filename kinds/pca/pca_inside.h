/*
 * pca_inside.h - what TO EXPLAIN shows of a model of kind "pca".
 *
 *     components          component, name, loading: how much of each input is in each component
 *     explained_variance  component, variance, ratio, cumulative: of the training rows; ratios are
 *                         of the variance of all inputs together
 */
#ifndef KINDS_PCA_PCA_INSIDE_H
#define KINDS_PCA_PCA_INSIDE_H

#include "scoring/kind.h"

extern const struct model_inside pca_insides[];

#endif
