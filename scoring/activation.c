#include "scoring/activation.h"

#include "base/vectors.h"
#include "scoring/elementary.h"

/* What is not a number is not less than 0, and stays. */
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
    }
}
