/*
 * losses.h - losses that a statement can choose instead of the task's own (kernels.h).
 *
 * As there: loss (n), and z becomes the gradient dloss/dz. With e = z - target:
 *     absolute   |e|; the gradient of e = 0 is 0
 *     quantile   alpha |e| below the target, (1 - alpha) |e| above it
 *     huber      e^2 / 2 up to delta, beyond delta (|e| - delta / 2)
 *     smoothed   the mean of log losses of all classes, of which the label's has the weight
 *                1 - smoothing and each the weight smoothing / m; (n,m)
 *     focal      (1 - p)^gamma times the log loss, p the label's probability (Lin et al., 2017);
 *                of one output, and (n,m)
 */
#ifndef RUNTIME_LEARN_LOSSES_H
#define RUNTIME_LEARN_LOSSES_H

#include <stddef.h>
#include <stdint.h>

void loss_quantile(size_t n, float alpha, const float *target, float *z, double *loss);
void loss_absolute(size_t n, const float *target, float *z, double *loss);
void loss_huber(size_t n, float delta, const float *target, float *z, double *loss);
void loss_smoothed_logistic(size_t n, float smoothing, const float *target, float *z, double *loss);
void loss_smoothed_softmax(size_t n, size_t m, float smoothing, const int32_t *classes, float *z,
                           double *loss);
void loss_focal_logistic(size_t n, float gamma, const float *target, float *z, double *loss);
void loss_focal_softmax(size_t n, size_t m, float gamma, const int32_t *classes, float *z,
                        double *loss);

#endif
