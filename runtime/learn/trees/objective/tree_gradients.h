/*
 * tree_gradients.h - the derivatives of tree_objective.h, as loops over n rows.
 *
 * z (n) are outputs, gradients and hessians (n). Labels and outputs are counted from `origin` where
 * it matters. Elements do not depend on each other: the same
 * bits in vectors of any width. All results are within +-TREE_GRADIENT_MOST.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define TREE_GRADIENT_MOST 1e30f
#define TREE_HESSIAN_LEAST 1e-16f /* a class's hessian, before weights */

void gradients_squares(size_t n, const float *y, const float *z, float *gradients, float *hessians);
void gradients_squared_logs(size_t n, double origin, const float *y, const float *z,
                            float *gradients, float *hessians);
void gradients_pseudo_huber(size_t n, double slope, const float *y, const float *z,
                            float *gradients, float *hessians);
/* A quantile's gradient: 1 - quantile where the output is not below the label, else -quantile. */
void gradients_quantile(size_t n, double quantile, const float *y, const float *z, float *gradients,
                        float *hessians);
/* Signs: the median's, twice as large, and 0 where both are equal. */
void gradients_signs(size_t n, const float *y, const float *z, float *gradients, float *hessians);
/* LightGBM's gradients by the distance r of output and label: r, cut at delta; c r / (|r| + c); the
 * sign of r by the label's size, or by 1 where that is less. */
void gradients_huber(size_t n, double delta, const float *y, const float *z, float *gradients,
                     float *hessians);
void gradients_fair(size_t n, double c, const float *y, const float *z, float *gradients,
                    float *hessians);
void gradients_percentages(size_t n, double origin, const float *y, const float *z,
                           float *gradients, float *hessians);
/* y is within [0, 1]. */
void gradients_logistic(size_t n, const float *y, const float *z, float *gradients,
                        float *hessians);
void gradients_gamma(size_t n, const float *y, const float *z, float *gradients, float *hessians);
void gradients_tweedie(size_t n, double power, const float *y, const float *z, float *gradients,
                       float *hessians);
/* growth: e^max_delta_step */
void gradients_poisson(size_t n, double growth, const float *y, const float *z, float *gradients,
                       float *hessians);

/* Class 1 is the one of probability 1 / (1 + e^-z); weights are of the classes 0 and 1. */
void gradients_two_classes(size_t n, const int32_t *classes, const float weights[2], const float *z,
                           float *gradients, float *hessians);
/* Nothing pulls at a row that is on its side of the margin: y z >= 1, where y is 1 of class 1, else
 * -1. */
void gradients_hinge(size_t n, const int32_t *classes, const float weights[2], const float *z,
                     float *gradients, float *hessians);
/* z (n, k); gradients, hessians: (k, n), output j of row i at j * stride + i. A hessian is factor
 * times p (1 - p). */
void gradients_classes(size_t n, size_t k, float factor, const int32_t *classes,
                       const float *weights, const float *z, size_t stride, float *gradients,
                       float *hessians);

/* Times the rows' weights. */
void gradients_weigh(size_t n, const float *weights, float *gradients, float *hessians);
