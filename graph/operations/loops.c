#include "graph/operations/loops.h"

#include "base/vectors.h"

WIDE_VECTORS
void add_to(float *restrict to, const float *restrict from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] += from[i];
}

WIDE_VECTORS
void subtract_from(float *restrict to, const float *restrict from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] -= from[i];
}

WIDE_VECTORS
void multiply_by(float *restrict to, const float *restrict by, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] *= by[i];
}

WIDE_VECTORS
void add_products(float *restrict to, const float *a, const float *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] += a[i] * b[i];
}

WIDE_VECTORS
void add_scaled(float *restrict to, const float *restrict from, float scale, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] += scale * from[i];
}

WIDE_VECTORS
void scale_by(float *to, float scale, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] *= scale;
}
