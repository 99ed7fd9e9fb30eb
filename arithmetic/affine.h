/*
 * affine.h - z (n, width) = a (n, rows) W + b, and back; a layer may be without b.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct affine {
    uint32_t rows, width;
    uint32_t weights, bias; /* where W (rows, width) and b (width) start in the parameters */
    uint32_t transposed;    /* where WT (width, rows) starts among the transposed weights */
    bool has_no_bias;
};

void affine_forward(const struct affine *op, const float *parameters, size_t n, const float *a,
                    float *z);
/* dW += aT delta, db += the rows of delta (n, width); from zeros where is_first. */
void affine_backward(const struct affine *op, size_t n, const float *a, const float *delta,
                     bool is_first, float *gradient);
/* da (n, rows) = delta WT; `adds`: += */
void affine_backward_inputs(const struct affine *op, const float *parameters,
                            const float *transposed, size_t n, const float *delta, bool adds,
                            float *da);

/* Whether affine_backward_inputs reads WT: with one output it lies the same either way. */
static inline bool affine_has_transposed(const struct affine *op)
{
    return op->width > 1;
}
/* Writes WT. Returns the sum of the words (base/sums/words.h) that it wrote over. */
uint32_t affine_transpose(const struct affine *op, const float *parameters, float *transposed);
