#include "runtime/learn/layers/pairs_sum.h"

#include <string.h>

#include "base/vectors.h"

WIDE_VECTORS
static float forward_row(const struct pairs_sum *op, const float *restrict x, float *restrict sums)
{
    float squares = 0, all = 0;

    memset(sums, 0, op->dimension * sizeof *sums);
    for (uint32_t f = 0; f < op->fields; f++)
        for (uint32_t j = 0; j < op->dimension; j++)
            sums[j] += x[f * op->dimension + j];
    for (uint32_t i = 0; i < op->fields * op->dimension; i++)
        squares += x[i] * x[i];
    for (uint32_t j = 0; j < op->dimension; j++)
        all += sums[j] * sums[j];
    return (all - squares) / 2;
}

void pairs_sum_forward(const struct pairs_sum *op, size_t n, const float *x, size_t x_row,
                       float *sums, float *z)
{
    for (size_t i = 0; i < n; i++)
        z[i] += forward_row(op, x + i * x_row, sums + i * op->dimension);
}

WIDE_VECTORS
static void backward_row(const struct pairs_sum *op, const float *restrict x,
                         const float *restrict sums, float dz, float *restrict dx)
{
    for (uint32_t f = 0; f < op->fields; f++)
        for (uint32_t j = 0; j < op->dimension; j++)
            dx[f * op->dimension + j] += dz * (sums[j] - x[f * op->dimension + j]);
}

void pairs_sum_backward(const struct pairs_sum *op, size_t n, const float *x, size_t x_row,
                        const float *sums, const float *dz, float *dx)
{
    for (size_t i = 0; i < n; i++)
        backward_row(op, x + i * x_row, sums + i * op->dimension, dz[i], dx + i * x_row);
}

WIDE_VECTORS
static void pool_row(const struct pairs_sum *op, const float *restrict x, float *restrict sums,
                     float *restrict pooled)
{
    memset(sums, 0, op->dimension * sizeof *sums);
    memset(pooled, 0, op->dimension * sizeof *pooled);
    for (uint32_t f = 0; f < op->fields; f++)
        for (uint32_t j = 0; j < op->dimension; j++) {
            sums[j] += x[f * op->dimension + j];
            pooled[j] += x[f * op->dimension + j] * x[f * op->dimension + j];
        }
    for (uint32_t j = 0; j < op->dimension; j++)
        pooled[j] = (sums[j] * sums[j] - pooled[j]) / 2;
}

void pairs_pooled_forward(const struct pairs_sum *op, size_t n, const float *x, size_t x_row,
                          float *sums, float *pooled, size_t row)
{
    for (size_t i = 0; i < n; i++)
        pool_row(op, x + i * x_row, sums + i * op->dimension, pooled + i * row);
}

WIDE_VECTORS
static void pool_row_back(const struct pairs_sum *op, const float *restrict x,
                          const float *restrict sums, const float *restrict dpooled,
                          float *restrict dx)
{
    for (uint32_t f = 0; f < op->fields; f++)
        for (uint32_t j = 0; j < op->dimension; j++)
            dx[f * op->dimension + j] += dpooled[j] * (sums[j] - x[f * op->dimension + j]);
}

void pairs_pooled_backward(const struct pairs_sum *op, size_t n, const float *x, size_t x_row,
                           const float *sums, const float *dpooled, size_t row, float *dx)
{
    for (size_t i = 0; i < n; i++)
        pool_row_back(op, x + i * x_row, sums + i * op->dimension, dpooled + i * row,
                      dx + i * x_row);
}
