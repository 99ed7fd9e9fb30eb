/*
 * pca_inside.h - what TO EXPLAIN shows of a model of kind "pca".
 *
 *     components          component, name, loading: how much of each input is in each component
 *     explained_variance  component, variance, ratio, cumulative: of the training rows; ratios are
 *                         of the variance of all inputs together
 */
#pragma once

#include "scoring/kind.h"

extern const struct model_inside pca_insides[];
