#include "scoring/numbers/activation.h"

#include "base/vectors.h"
#include "scoring/numbers/elementary.h"

/* A NaN is not less than 0, and stays. */
WIDE_VECTORS
static void relu(float *a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] = a[i] < 0 ? 0 : a[i];
}

WIDE_VECTORS
static void tangents(float *a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] = hyperbolic_tangent(a[i]);
}

WIDE_VECTORS
static void sigmoids(float *a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] = logistic(a[i], exponential(-fabsf(a[i])));
}

WIDE_VECTORS
static void elus(float scale, float factor, float *a, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        /* Above 0 it is not looked at, and would not end. */
        const float below = factor * exponential_minus_one(a[i] > 0 ? 0 : a[i]);

        a[i] = a[i] > 0 ? scale * a[i] : below;
    }
}

WIDE_VECTORS
static void leaks(float *a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] = a[i] < 0 ? ACTIVATION_LEAK * a[i] : a[i];
}

WIDE_VECTORS
static void gelus(float *a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] *= normal_share(a[i]);
}

WIDE_VECTORS
static void swishes(float *a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] *= logistic(a[i], exponential(-fabsf(a[i])));
}

WIDE_VECTORS
static void softpluses(float *a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] = (a[i] < 0 ? 0 : a[i]) + logarithm_one_plus(exponential(-fabsf(a[i])));
}

WIDE_VECTORS
static void softsigns(float *a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] /= 1 + fabsf(a[i]);
}

void activation_forward(enum activation activation, float *a, size_t count)
{
    switch (activation) {
    case ACTIVATION_IDENTITY:
        return;
    case ACTIVATION_RELU:
        relu(a, count);
        return;
    case ACTIVATION_TANH:
        tangents(a, count);
        return;
    case ACTIVATION_SIGMOID:
        sigmoids(a, count);
        return;
    case ACTIVATION_ELU:
        elus(1, 1, a, count);
        return;
    case ACTIVATION_SELU:
        elus(ACTIVATION_SELU_SCALE, ACTIVATION_SELU_FACTOR, a, count);
        return;
    case ACTIVATION_LEAKY_RELU:
        leaks(a, count);
        return;
    case ACTIVATION_GELU:
        gelus(a, count);
        return;
    case ACTIVATION_SWISH:
        swishes(a, count);
        return;
    case ACTIVATION_SOFTPLUS:
        softpluses(a, count);
        return;
    case ACTIVATION_SOFTSIGN:
        softsigns(a, count);
        return;
    }
}
