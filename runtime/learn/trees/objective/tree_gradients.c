#include "runtime/learn/trees/objective/tree_gradients.h"

#include <math.h>
#include <string.h>

#include "base/vectors.h"
#include "scoring/numbers/elementary.h"

/* Neither infinite nor more than sums have room for. */
static inline float bounded(float x)
{
    x = x < -TREE_GRADIENT_MOST ? -TREE_GRADIENT_MOST : x;
    return x > TREE_GRADIENT_MOST ? TREE_GRADIENT_MOST : x;
}

/* ---- numbers ---- */

WIDE_VECTORS
void gradients_squares(size_t n, const float *restrict y, const float *restrict z,
                       float *restrict gradients, float *restrict hessians)
{
    for (size_t i = 0; i < n; i++) {
        gradients[i] = bounded(z[i] - y[i]);
        hessians[i] = 1;
    }
}

void gradients_squared_logs(size_t n, double origin, const float *y, const float *z,
                            float *gradients, float *hessians)
{
    for (size_t i = 0; i < n; i++) {
        const double prediction = (double)z[i] + origin, label = (double)y[i] + origin;
        const double x = 1 + (prediction > -1 + 1e-6 ? prediction : -1 + 1e-6);
        const double log_ratio = logarithm_double(x) - logarithm_double(1 + label);
        const double hessian = (1 - log_ratio) / (x * x);

        gradients[i] = (float)(log_ratio / x);
        hessians[i] = (float)(hessian > 1e-6 ? hessian : 1e-6);
    }
}

WIDE_VECTORS
void gradients_pseudo_huber(size_t n, double slope, const float *restrict y,
                            const float *restrict z, float *restrict gradients,
                            float *restrict hessians)
{
    for (size_t i = 0; i < n; i++) {
        const double r = (double)z[i] - (double)y[i], part = r / slope;
        const double square = 1 + part * part, root = sqrt(square);

        gradients[i] = bounded((float)(r / root));
        hessians[i] = (float)(1 / (square * root));
    }
}

WIDE_VECTORS
void gradients_quantile(size_t n, double quantile, const float *restrict y, const float *restrict z,
                        float *restrict gradients, float *restrict hessians)
{
    const float above = 1 - (float)quantile, below = -(float)quantile;

    for (size_t i = 0; i < n; i++) {
        gradients[i] = z[i] >= y[i] ? above : below;
        hessians[i] = 1;
    }
}

WIDE_VECTORS
void gradients_signs(size_t n, const float *restrict y, const float *restrict z,
                     float *restrict gradients, float *restrict hessians)
{
    for (size_t i = 0; i < n; i++) {
        gradients[i] = (z[i] > y[i] ? 1.0f : 0.0f) - (z[i] < y[i] ? 1.0f : 0.0f);
        hessians[i] = 1;
    }
}

WIDE_VECTORS
void gradients_huber(size_t n, double delta, const float *restrict y, const float *restrict z,
                     float *restrict gradients, float *restrict hessians)
{
    for (size_t i = 0; i < n; i++) {
        double r = (double)z[i] - (double)y[i];

        r = r < -delta ? -delta : r;
        gradients[i] = bounded((float)(r > delta ? delta : r));
        hessians[i] = 1;
    }
}

WIDE_VECTORS
void gradients_fair(size_t n, double c, const float *restrict y, const float *restrict z,
                    float *restrict gradients, float *restrict hessians)
{
    for (size_t i = 0; i < n; i++) {
        const double r = (double)z[i] - (double)y[i], size = fabs(r) + c, share = c / size;

        gradients[i] = bounded((float)(c * r / size));
        hessians[i] = (float)(share * share);
    }
}

WIDE_VECTORS
void gradients_percentages(size_t n, double origin, const float *restrict y,
                           const float *restrict z, float *restrict gradients,
                           float *restrict hessians)
{
    for (size_t i = 0; i < n; i++) {
        const float label = fabsf((float)((double)y[i] + origin)), size = label > 1 ? label : 1;

        gradients[i] = ((z[i] > y[i] ? 1.0f : 0.0f) - (z[i] < y[i] ? 1.0f : 0.0f)) / size;
        hessians[i] = 1;
    }
}

/* p = 1 / (1 + e^-z) and 1 - p, neither of which loses digits where it is small. */
static inline void shares_of(float z, float *p, float *rest)
{
    const float small = exponential(-fabsf(z)), greater = 1 / (1 + small);
    const float lesser = small * greater;

    *p = z < 0 ? lesser : greater;
    *rest = z < 0 ? greater : lesser;
}

static inline float two_sided(float p, float rest)
{
    const float product = p * rest;

    return product > TREE_HESSIAN_LEAST ? product : TREE_HESSIAN_LEAST;
}

WIDE_VECTORS
void gradients_logistic(size_t n, const float *restrict y, const float *restrict z,
                        float *restrict gradients, float *restrict hessians)
{
    for (size_t i = 0; i < n; i++) {
        float p, rest;

        shares_of(z[i], &p, &rest);
        gradients[i] = p - y[i];
        hessians[i] = two_sided(p, rest);
    }
}

WIDE_VECTORS
void gradients_gamma(size_t n, const float *restrict y, const float *restrict z,
                     float *restrict gradients, float *restrict hessians)
{
    for (size_t i = 0; i < n; i++) {
        const float ratio = bounded(y[i] * exponential(-z[i]));

        gradients[i] = 1 - ratio;
        hessians[i] = ratio;
    }
}

WIDE_VECTORS
void gradients_tweedie(size_t n, double power, const float *restrict y, const float *restrict z,
                       float *restrict gradients, float *restrict hessians)
{
    const float first = (float)(1 - power), second = (float)(2 - power);

    for (size_t i = 0; i < n; i++) {
        const float a = bounded(y[i] * exponential(first * z[i]));
        const float b = bounded(exponential(second * z[i]));

        gradients[i] = bounded(b - a);
        hessians[i] = bounded(second * b - first * a);
    }
}

WIDE_VECTORS
void gradients_poisson(size_t n, double growth, const float *restrict y, const float *restrict z,
                       float *restrict gradients, float *restrict hessians)
{
    const float factor = (float)growth;

    for (size_t i = 0; i < n; i++) {
        const float mean = exponential(z[i]);

        gradients[i] = bounded(mean - y[i]);
        hessians[i] = bounded(mean * factor);
    }
}

/* ---- classes ---- */

WIDE_VECTORS
void gradients_two_classes(size_t n, const int32_t *restrict classes, const float weights[2],
                           const float *restrict z, float *restrict gradients,
                           float *restrict hessians)
{
    const float of_first = weights[0], of_second = weights[1];

    for (size_t i = 0; i < n; i++) {
        const float weight = classes[i] == 1 ? of_second : of_first;
        float p, rest;

        shares_of(z[i], &p, &rest);
        gradients[i] = weight * (classes[i] == 1 ? -rest : p);
        hessians[i] = weight * two_sided(p, rest);
    }
}

WIDE_VECTORS
void gradients_hinge(size_t n, const int32_t *restrict classes, const float weights[2],
                     const float *restrict z, float *restrict gradients, float *restrict hessians)
{
    const float of_first = weights[0], of_second = weights[1];

    for (size_t i = 0; i < n; i++) {
        const float weight = classes[i] == 1 ? of_second : of_first;
        const float side = classes[i] == 1 ? 1.0f : -1.0f;
        const float pull = side * z[i] < 1 ? weight : 0.0f;

        gradients[i] = -side * pull;
        hessians[i] = pull;
    }
}

#define BLOCK_ROWS 128

/* e^(z - greatest) of each row, and what the rows' sums of these are divided by. */
WIDE_VECTORS
static void exponentials_of(size_t n, size_t k, size_t stride, float *restrict values,
                            float *restrict shares)
{
    float greatest[BLOCK_ROWS], sums[BLOCK_ROWS];

    memcpy(greatest, values, n * sizeof *values);
    for (size_t j = 1; j < k; j++)
        for (size_t i = 0; i < n; i++) {
            const float z = values[j * stride + i];

            greatest[i] = z > greatest[i] ? z : greatest[i];
        }
    memset(sums, 0, sizeof sums);
    for (size_t j = 0; j < k; j++)
        for (size_t i = 0; i < n; i++) {
            const float e = exponential(values[j * stride + i] - greatest[i]);

            values[j * stride + i] = e;
            sums[i] += e;
        }
    for (size_t i = 0; i < n; i++)
        shares[i] = 1 / sums[i];
}

WIDE_VECTORS
static void softmax_of_class(size_t n, int32_t class, float factor, const int32_t *restrict classes,
                             const float *restrict shares, const float *restrict weights,
                             float *restrict gradients, float *restrict hessians)
{
    for (size_t i = 0; i < n; i++) {
        const float p = gradients[i] * shares[i], hessian = factor * p * (1 - p);

        gradients[i] = weights[i] * (p - (classes[i] == class ? 1.0f : 0.0f));
        hessians[i] = weights[i] * (hessian > TREE_HESSIAN_LEAST ? hessian : TREE_HESSIAN_LEAST);
    }
}

static void block_of_classes(size_t n, size_t k, float factor, const int32_t *classes,
                             const float *weights, const float *z, size_t stride, float *gradients,
                             float *hessians)
{
    float shares[BLOCK_ROWS], of_rows[BLOCK_ROWS];

    for (size_t i = 0; i < n; i++) {
        of_rows[i] = weights[classes[i]];
        for (size_t j = 0; j < k; j++)
            gradients[j * stride + i] = z[i * k + j];
    }
    exponentials_of(n, k, stride, gradients, shares);
    for (size_t j = 0; j < k; j++)
        softmax_of_class(n, (int32_t)j, factor, classes, shares, of_rows, gradients + j * stride,
                         hessians + j * stride);
}

void gradients_classes(size_t n, size_t k, float factor, const int32_t *classes,
                       const float *weights, const float *z, size_t stride, float *gradients,
                       float *hessians)
{
    for (size_t first = 0; first < n; first += BLOCK_ROWS)
        block_of_classes(n - first < BLOCK_ROWS ? n - first : BLOCK_ROWS, k, factor,
                         classes + first, weights, z + first * k, stride, gradients + first,
                         hessians + first);
}

/* ---- weights ---- */

WIDE_VECTORS
void gradients_weigh(size_t n, const float *restrict weights, float *restrict gradients,
                     float *restrict hessians)
{
    for (size_t i = 0; i < n; i++) {
        gradients[i] = bounded(weights[i] * gradients[i]);
        hessians[i] = bounded(weights[i] * hessians[i]);
    }
}
