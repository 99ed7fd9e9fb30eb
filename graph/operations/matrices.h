/*
 * matrices.h - small products within a row of data, as matmul and attention have them.
 *
 * Each sum is one chain of fused additions in ascending order (arithmetic/products.h).
 */
#pragma once

#include <stddef.h>

/* (rows, columns), whose rows lie `step` floats apart. */
struct matrix {
    const float *at;
    size_t rows, columns, step;
};

/* c += a b; c's rows lie c_step floats apart. */
void matrix_add_product(const struct matrix *a, const struct matrix *b, float *c, size_t c_step);
/* c += aT b */
void matrix_add_turned_product(const struct matrix *a, const struct matrix *b, float *c,
                               size_t c_step);
/* Writes aT (columns, rows), and returns it. */
struct matrix matrix_turn(const struct matrix *a, float *turned);
