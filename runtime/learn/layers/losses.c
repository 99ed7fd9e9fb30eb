#include "runtime/learn/layers/losses.h"

#include "arithmetic/kernels.h"
#include "base/vectors.h"
#include "scoring/numbers/elementary.h"

/* ---- numbers ---- */

/* NaN is neither above nor below; its loss is NaN. */
WIDE_VECTORS
void loss_quantile(size_t n, float alpha, const float *restrict target, float *restrict z,
                   double *restrict loss)
{
    for (size_t i = 0; i < n; i++) {
        const float error = z[i] - target[i];
        const float slope = error > 0 ? 1 - alpha : error < 0 ? -alpha : 0;

        loss[i] = (double)(error * slope);
        z[i] = slope;
    }
}

WIDE_VECTORS
void loss_absolute(size_t n, const float *restrict target, float *restrict z, double *restrict loss)
{
    for (size_t i = 0; i < n; i++) {
        const float error = z[i] - target[i];

        loss[i] = (double)fabsf(error);
        z[i] = error > 0 ? 1 : error < 0 ? -1 : 0;
    }
}

WIDE_VECTORS
void loss_huber(size_t n, float delta, const float *restrict target, float *restrict z,
                double *restrict loss)
{
    for (size_t i = 0; i < n; i++) {
        const float error = z[i] - target[i], size = fabsf(error);
        const double near = 0.5 * (double)error * (double)error;
        const double far = (double)delta * ((double)size - 0.5 * (double)delta);

        loss[i] = size > delta ? far : near;
        z[i] = error > delta ? delta : error < -delta ? -delta : error;
    }
}

/* log cosh(x) = |x| + log((1 + e^-2|x|) / 2), which does not overflow. */
void loss_log_cosh(size_t n, double k, const float *target, float *z, double *loss)
{
    const double divisor = k > 1 ? k : k * k;

    for (size_t i = 0; i < n; i++) {
        const double error = k * ((double)z[i] - (double)target[i]), size = fabs(error);
        const double faded = exponential_double(-2 * size);
        const double log_cosh = size + logarithm_double((1 + faded) / 2);

        loss[i] = (log_cosh < 0 ? 0 : log_cosh) / divisor;
        z[i] = (float)(k / divisor * copysign((1 - faded) / (1 + faded), error));
    }
}

/* ---- numbers whose logarithm is learned ---- */

#define LABEL_LEAST 0x1p-149 /* least float above 0: labels that were rounded to 0 */

/* A deviance that was rounded below 0 is 0. */
static double deviance(double half)
{
    return half < 0 ? 0 : 2 * half;
}

void loss_poisson(size_t n, const float *target, float *z, double *loss)
{
    for (size_t i = 0; i < n; i++) {
        const double y = (double)target[i], mean = exponential_double((double)z[i]);
        const double log_y = y > 0 ? logarithm_double(y) : 0;

        loss[i] = deviance(y * (log_y - (double)z[i]) + (mean - y));
        z[i] = (float)(mean - y);
    }
}

void loss_gamma(size_t n, const float *target, float *z, double *loss)
{
    for (size_t i = 0; i < n; i++) {
        const double y = target[i] > 0 ? (double)target[i] : LABEL_LEAST;
        const double ratio = y * exponential_double(-(double)z[i]);

        loss[i] = deviance((double)z[i] - logarithm_double(y) + (ratio - 1));
        z[i] = (float)(1 - ratio);
    }
}

void loss_tweedie(size_t n, double power, const float *target, float *z, double *loss)
{
    const double low = 1 - power, high = 2 - power;

    for (size_t i = 0; i < n; i++) {
        const double y = (double)target[i], x = (double)z[i];
        const double of_y = y > 0 ? exponential_double(high * logarithm_double(y)) : 0;
        const double a = y * exponential_double(low * x), b = exponential_double(high * x);

        loss[i] = deviance(of_y / (low * high) - a / low + b / high);
        z[i] = (float)(b - a);
    }
}

/* ---- classes ---- */

/* The loss of NaN is NaN. */
WIDE_VECTORS
void loss_hinge(size_t n, const float *restrict target, float *restrict z, double *restrict loss)
{
    for (size_t i = 0; i < n; i++) {
        const float sign = target[i] > 0 ? 1 : -1, missing = 1 - sign * z[i];

        loss[i] = missing <= 0 ? 0 : (double)missing;
        z[i] = missing <= 0 ? 0 : -sign;
    }
}

WIDE_VECTORS
void loss_squared_hinge(size_t n, const float *restrict target, float *restrict z,
                        double *restrict loss)
{
    for (size_t i = 0; i < n; i++) {
        const float sign = target[i] > 0 ? 1 : -1, margin = sign * z[i];
        const float missing = margin >= 1 ? 0 : 1 - margin;

        loss[i] = (double)missing * (double)missing;
        z[i] = -2 * sign * missing;
    }
}

void loss_smoothed_logistic(size_t n, float smoothing, const float *target, float *z, double *loss)
{
    for (size_t i = 0; i < n; i++) {
        const float smooth = target[i] * (1 - smoothing) + 0.5f * smoothing;

        loss_logistic(1, &smooth, &z[i], &loss[i]);
    }
}

void loss_smoothed_softmax(size_t n, size_t m, float smoothing, const int32_t *classes, float *z,
                           double *loss)
{
    const float each = smoothing / (float)m;

    for (size_t i = 0; i < n; i++, z += m) {
        const double of_label = (double)z[classes[i]];
        double mean = 0;

        for (size_t j = 0; j < m; j++)
            mean += (double)z[j] / (double)m;
        loss_softmax(1, m, &classes[i], z, &loss[i]);
        loss[i] += (double)smoothing * (of_label - mean);
        for (size_t j = 0; j < m; j++)
            z[j] -= each;
        z[classes[i]] += smoothing;
    }
}

/* The focal loss of a label, and the factor that its log loss' slope is multiplied by. With p the
 * label's probability and q = 1 - p the factor is q^gamma (1 + gamma p loss / q), where loss / q
 * goes to 1. */
struct focus {
    double loss, slope;
};

static struct focus focus_on(double loss, float gamma)
{
    const double p = exponential_double(-loss), q = 1 - p;
    double share;

    if (!(q > 0x1p-40)) /* nothing is left, or it is not a number */
        return (struct focus){loss * (gamma > 0 ? q : 1), gamma > 0 ? q : 1};
    share = gamma > 0 ? exponential_double((double)gamma * logarithm_double(q)) : 1;
    return (struct focus){share * loss, share * (1 + (double)gamma * p * loss / q)};
}

void loss_focal_logistic(size_t n, float gamma, const float *target, float *z, double *loss)
{
    for (size_t i = 0; i < n; i++) {
        struct focus focus;

        loss_logistic(1, &target[i], &z[i], &loss[i]);
        focus = focus_on(loss[i], gamma);
        loss[i] = focus.loss;
        z[i] *= (float)focus.slope;
    }
}

void loss_focal_softmax(size_t n, size_t m, float gamma, const int32_t *classes, float *z,
                        double *loss)
{
    for (size_t i = 0; i < n; i++, z += m) {
        struct focus focus;

        loss_softmax(1, m, &classes[i], z, &loss[i]);
        focus = focus_on(loss[i], gamma);
        loss[i] = focus.loss;
        for (size_t j = 0; j < m; j++)
            z[j] *= (float)focus.slope;
    }
}
