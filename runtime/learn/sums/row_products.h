/*
 * row_products.h - sums of products of all pairs of columns over some rows that lie in memory.
 *
 *     products[i][j] += weight x[i] x[j]      j <= i
 *
 * Rows are added in their order, each sum by one task, so that threads leave no trace.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/process/team.h"

struct row_products {
    uint32_t rows, columns;
    const double *x;       /* (rows, columns) */
    const double *weights; /* weights[i * stride]: row i's */
    size_t stride;
    double *products; /* (columns (columns + 1) / 2): row i has i + 1 */
};

/* Numbers in the lower half of a square matrix. */
static inline size_t row_pairs(uint32_t columns)
{
    return (size_t)columns * ((size_t)columns + 1) / 2;
}

/* Row `column` of the products alone. */
void row_products_of(const struct row_products *sums, uint32_t column);
/* All of them. */
void row_products_add(struct row_products *sums, struct team *team);
/* The lower half as all of the matrix, whose rows lie `stride` apart. */
void row_products_unfold(uint32_t columns, const double *lower, double *matrix, size_t stride);
