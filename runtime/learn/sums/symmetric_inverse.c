#include "runtime/learn/sums/symmetric_inverse.h"

/* Gauss and Jordan's step in place: column k of the matrix becomes that of the inverse. */
static void sweep(uint32_t n, uint32_t k, double *matrix)
{
    double *restrict pivots = matrix + (size_t)k * n;
    const double pivot = pivots[k];

    for (uint32_t j = 0; j < n; j++)
        pivots[j] /= pivot;
    for (uint32_t i = 0; i < n; i++) {
        double *restrict row = matrix + (size_t)i * n;
        const double factor = row[k];

        if (i == k || factor == 0)
            continue;
        for (uint32_t j = 0; j < n; j++)
            row[j] -= factor * pivots[j];
        row[k] = -factor / pivot;
    }
    pivots[k] = 1 / pivot;
}

void symmetric_invert(uint32_t n, const uint32_t *order, double least, double *matrix,
                      bool *is_used, double *squares)
{
    const size_t next = (size_t)n + 1;

    for (uint32_t k = 0; k < n; k++)
        squares[k] = matrix[k * next];
    for (uint32_t place = 0; place < n; place++) {
        const uint32_t k = order[place];

        if (!is_used[k])
            continue;
        is_used[k] = matrix[k * next] > 0 && matrix[k * next] > least * squares[k];
        if (is_used[k])
            sweep(n, k, matrix);
    }
}
