/*
 * losses.h - losses that a statement can choose instead of the task's own (kernels.h).
 *
 * As there: loss (n), and z becomes the gradient dloss/dz. With e = z - target, and u = e^z:
 *     absolute   |e|; the gradient of e = 0 is 0
 *     quantile   alpha |e| below the target, (1 - alpha) |e| above it
 *     huber      e^2 / 2 up to delta, beyond delta (|e| - delta / 2)
 *     log_cosh   log cosh(k e) / c, c = min(k, k^2): with k the units of the label in one of the
 *                target the loss is that of errors in these units, and its slope about 1
 *     poisson    the deviance 2 (target log(target / u) - target + u)
 *     gamma      2 (log(u / target) + target / u - 1)
 *     tweedie    of variances that go with the power v of the mean, 1 < v < 2:
 *                2 (target^(2-v) / ((1-v) (2-v)) - target u^(1-v) / (1-v) + u^(2-v) / (2-v))
 *                (the gradients of deviances are of their halves)
 *     smoothed   the mean of log losses of all classes, of which the label's has the weight
 *                1 - smoothing and each the weight smoothing / m; (n,m)
 *     hinge      max(0, 1 - m), m: z of class 1, -z of class 0; squared_hinge: its square
 *     focal      (1 - p)^gamma times the log loss, p the label's probability (Lin et al., 2017);
 *                of one output, and (n,m)
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

void loss_quantile(size_t n, float alpha, const float *target, float *z, double *loss);
void loss_absolute(size_t n, const float *target, float *z, double *loss);
void loss_huber(size_t n, float delta, const float *target, float *z, double *loss);
void loss_log_cosh(size_t n, double k, const float *target, float *z, double *loss);
void loss_poisson(size_t n, const float *target, float *z, double *loss);
void loss_gamma(size_t n, const float *target, float *z, double *loss);
void loss_tweedie(size_t n, double power, const float *target, float *z, double *loss);
void loss_hinge(size_t n, const float *target, float *z, double *loss);
void loss_squared_hinge(size_t n, const float *target, float *z, double *loss);
void loss_smoothed_logistic(size_t n, float smoothing, const float *target, float *z, double *loss);
void loss_smoothed_softmax(size_t n, size_t m, float smoothing, const int32_t *classes, float *z,
                           double *loss);
void loss_focal_logistic(size_t n, float gamma, const float *target, float *z, double *loss);
void loss_focal_softmax(size_t n, size_t m, float gamma, const int32_t *classes, float *z,
                        double *loss);
