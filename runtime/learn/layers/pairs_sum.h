/*
 * pairs_sum.h - the products of all pairs of embeddings, summed (Rendle, 2010), and back.
 *
 *     sum over f < g of e_f . e_g = 1/2 sum over j of ((sum over f of e_fj)^2 - sum of e_fj^2)
 *
 * or apart for each number j of the embeddings (He and Chua, 2017, call that bi-interaction
 * pooling).
 *
 * x (n, fields * dimension), whose rows lie x_row floats apart.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct pairs_sum {
    uint32_t fields, dimension;
};

/* z (n) += the sum of each row; sums (n, dimension): of the embeddings, for the way back. */
void pairs_sum_forward(const struct pairs_sum *op, size_t n, const float *x, size_t x_row,
                       float *sums, float *z);
/* dx += dz times the sum of all embeddings but the own. */
void pairs_sum_backward(const struct pairs_sum *op, size_t n, const float *x, size_t x_row,
                        const float *sums, const float *dz, float *dx);

/* The same of each number apart: pooled (n, dimension), whose rows lie `row` floats apart. */
void pairs_pooled_forward(const struct pairs_sum *op, size_t n, const float *x, size_t x_row,
                          float *sums, float *pooled, size_t row);
void pairs_pooled_backward(const struct pairs_sum *op, size_t n, const float *x, size_t x_row,
                           const float *sums, const float *dpooled, size_t row, float *dx);
