#include "arithmetic/kernels.h"

#include <math.h>
#include <string.h>

#include "base/vectors.h"
#include "scoring/numbers/elementary.h"

WIDE_VECTORS
void rows_sum(const float *restrict delta, size_t n, size_t m, float *restrict sum)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            sum[j] += delta[i * m + j];
}

/* ---- logarithms, to about the last bit of a float ---- */

/* The logarithm of x >= 1: k ln(2) + log(1 + e) where x = 2^k (1 + e). */
static inline float logarithm(float x)
{
    uint32_t bits = bits_of(x);
    float power = (float)(bits >> 23) - 127;
    float fraction = float_of((bits & 0x7fffff) | 127u << 23);

    return x < INFINITY ? power * 0x1.62e43p-1f + logarithm_one_plus(fraction - 1) : x;
}

/* ---- slopes of the activations ---- */

WIDE_VECTORS
static void relu_backward(const float *restrict a, float *restrict delta, size_t count)
{
    for (size_t i = 0; i < count; i++)
        delta[i] = a[i] > 0 ? delta[i] : 0;
}

WIDE_VECTORS
static void tangents_backward(const float *restrict a, float *restrict delta, size_t count)
{
    for (size_t i = 0; i < count; i++)
        delta[i] *= 1 - a[i] * a[i];
}

WIDE_VECTORS
static void sigmoids_backward(const float *restrict a, float *restrict delta, size_t count)
{
    for (size_t i = 0; i < count; i++)
        delta[i] *= a[i] * (1 - a[i]);
}

/* Multiplies by the slope of ELU or SELU: a + factor below 0, where a is factor (e^z - 1). */
WIDE_VECTORS
static void elus_backward(float scale, float factor, const float *restrict a, float *restrict delta,
                          size_t count)
{
    for (size_t i = 0; i < count; i++)
        delta[i] *= a[i] > 0 ? scale : a[i] + factor;
}

WIDE_VECTORS
static void leaky_backward(const float *restrict a, float *restrict delta, size_t count)
{
    for (size_t i = 0; i < count; i++)
        delta[i] *= a[i] > 0 ? 1 : ACTIVATION_LEAK;
}

WIDE_VECTORS
static void gelus_backward(const float *restrict z, float *restrict delta, size_t count)
{
    const float root = 0x1.988454p-2f; /* 1 / sqrt(2 pi) */

    for (size_t i = 0; i < count; i++)
        delta[i] *= normal_share(z[i]) + z[i] * (root * exponential(-0.5f * z[i] * z[i]));
}

WIDE_VECTORS
static void swishes_backward(const float *restrict z, float *restrict delta, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const float share = logistic(z[i], exponential(-fabsf(z[i])));

        delta[i] *= share + z[i] * share * (1 - share);
    }
}

WIDE_VECTORS
static void softpluses_backward(const float *restrict a, float *restrict delta, size_t count)
{
    for (size_t i = 0; i < count; i++)
        delta[i] *= -exponential_minus_one(-a[i]);
}

WIDE_VECTORS
static void softsigns_backward(const float *restrict a, float *restrict delta, size_t count)
{
    for (size_t i = 0; i < count; i++)
        delta[i] *= (1 - fabsf(a[i])) * (1 - fabsf(a[i]));
}

bool activation_keeps_sums(enum activation activation)
{
    return activation == ACTIVATION_GELU || activation == ACTIVATION_SWISH;
}

void activation_backward(enum activation activation, const float *a, float *delta, size_t count)
{
    switch (activation) {
    case ACTIVATION_IDENTITY:
        return;
    case ACTIVATION_RELU:
        relu_backward(a, delta, count);
        return;
    case ACTIVATION_TANH:
        tangents_backward(a, delta, count);
        return;
    case ACTIVATION_SIGMOID:
        sigmoids_backward(a, delta, count);
        return;
    case ACTIVATION_ELU:
        elus_backward(1, 1, a, delta, count);
        return;
    case ACTIVATION_SELU:
        elus_backward(ACTIVATION_SELU_SCALE, ACTIVATION_SELU_FACTOR, a, delta, count);
        return;
    case ACTIVATION_LEAKY_RELU:
        leaky_backward(a, delta, count);
        return;
    case ACTIVATION_GELU:
        gelus_backward(a, delta, count);
        return;
    case ACTIVATION_SWISH:
        swishes_backward(a, delta, count);
        return;
    case ACTIVATION_SOFTPLUS:
        softpluses_backward(a, delta, count);
        return;
    case ACTIVATION_SOFTSIGN:
        softsigns_backward(a, delta, count);
        return;
    }
}

/* ---- losses ---- */

WIDE_VECTORS
void loss_logistic(size_t n, const float *restrict target, float *restrict z, double *restrict loss)
{
    for (size_t i = 0; i < n; i++) {
        float x = z[i], small = exponential(-fabsf(x));

        loss[i] = (double)(((x > 0 ? x : 0) - x * target[i]) + logarithm_one_plus(small));
        z[i] = logistic(x, small) - target[i];
    }
}

static float greatest_of(const float *z, size_t m)
{
    float greatest = z[0];

    for (size_t j = 1; j < m; j++)
        greatest = z[j] > greatest ? z[j] : greatest;
    return greatest;
}

WIDE_VECTORS
static void exponentials(float *z, size_t m, float greatest)
{
    for (size_t j = 0; j < m; j++)
        z[j] = exponential(z[j] - greatest);
}

void loss_softmax(size_t n, size_t m, const int32_t *classes, float *z, double *loss)
{
    for (size_t i = 0; i < n; i++, z += m) {
        const float greatest = greatest_of(z, m), of_label = z[classes[i]];
        float sum = 0, share;

        exponentials(z, m, greatest);
        for (size_t j = 0; j < m; j++)
            sum += z[j];
        loss[i] = (double)greatest - (double)of_label + (double)logarithm(sum);
        share = 1 / sum;
        for (size_t j = 0; j < m; j++)
            z[j] *= share;
        z[classes[i]] -= 1;
    }
}

WIDE_VECTORS
void loss_squares(size_t n, const float *restrict target, float *restrict z, double *restrict loss)
{
    for (size_t i = 0; i < n; i++) {
        float error = z[i] - target[i];

        loss[i] = (double)error * (double)error;
        z[i] = error;
    }
}
