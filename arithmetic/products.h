/*
 * products.h - products of row-major matrices of floats, with the same bits
 * on every processor.
 *
 * Each element of a product is one chain of fused multiply-adds,
 *
 *     c[i][j] = fma(a[i][K-1], b[K-1][j], ... fma(a[i][0], b[0][j], start[i][j]))
 *
 * in ascending order and with one rounding a link, whatever the width of the
 * processor's vectors: elements that lie side by side are computed side by
 * side, and no sum is ever split. A library is free to split sums by shape,
 * by processor and by version; the learned bits would change with it. On
 * layers as narrow as tables need (28 to some hundred columns) this is not
 * slower than a library either, docs/decisions/0011.
 *
 * Processors without fused multiply-add compute the same bits by fmaf(), slowly.
 */
#pragma once

#include <stddef.h>

/* c (n,m) = start + a (n,k) b (k,m). Strides are in elements; elements of a row
 * of b, c and start lie side by side. c may be start, else nothing overlaps. */
struct product {
    size_t n, k, m;
    const float *a;
    size_t a_row, a_column; /* a_column 1: as it lies; a_row 1: transposed */
    const float *b;
    size_t b_row;
    const float *start; /* NULL: zeros */
    size_t start_row;   /* 0: the same for every row, such as a bias */
    float *c;
    size_t c_row;
};

void product_compute(const struct product *product);

/*
 * c (n) = start + a (n,k) b (k): one number a row. As 16 chains, of the columns
 * that are equal modulo 16, added in pairs: 8 apart, then 4, 2, 1, and last to
 * the start.
 */
void product_dots(size_t n, size_t k, const float *a, const float *b, float start, float *c);

/* The ways of this build that the processor can run, by name, the last being
 * the one in use; NULL beyond. For tests, which compare them. */
struct product_variant {
    const char *name;
    void (*compute)(const struct product *product);
    void (*dots)(size_t n, size_t k, const float *a, const float *b, float start, float *c);
};
const struct product_variant *product_variants(size_t number);
