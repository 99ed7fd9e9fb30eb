/*
 * affine.h - what a layer adds up: z (rows, width) = b + x (rows, inputs) W.
 *
 * Each output starts from its bias and adds input after input in ascending
 * order, product and sum rounded apart. Rows and outputs are computed side by
 * side, never parts of one sum: the bits depend neither on how many rows come
 * together nor on the width of the processor's vectors. Several rows at a time
 * share each read of the weights, and are several times as fast as one.
 */
#ifndef SCORING_AFFINE_H
#define SCORING_AFFINE_H

#include <stddef.h>

#include "base/error.h"

#define AFFINE_PANEL 16 /* outputs: a multiple of the lanes of all vectors */

/* Sums of whole panels of outputs; columns of W lie in rows of `stride` floats. */
struct affine_operands {
    const float *x; /* (rows, inputs) */
    size_t rows, inputs;
    const float *weights, *bias;
    size_t stride, columns;
    float *z;
    size_t z_stride;
};

/* One source, compiled for each set of vectors. */
struct affine_kernel {
    const char *name; /* "avx512f", "avx2", "baseline" */
    bool (*is_supported)(void);
    void (*multiply)(const struct affine_operands *operands);
};

/* The widest first; `baseline` is the last and runs everywhere. */
extern const struct affine_kernel affine_kernels[];
extern const size_t affine_kernel_count;
const struct affine_kernel *affine_kernel_best(void);

/* A layer's weights, borrowed but for the outputs beyond the last whole panel:
 * those lie here again, in a panel filled up with zeros. */
struct affine {
    const float *weights, *bias;
    size_t inputs, width;
    float *tail; /* (1 + inputs, AFFINE_PANEL): bias, weights. NULL: none */
};

enum status affine_init(struct affine *affine, const float *weights, const float *bias,
                        size_t inputs, size_t width, struct error *err);
void affine_deinit(struct affine *affine);
void affine_rows(const struct affine *affine, const struct affine_kernel *kernel, const float *x,
                 size_t rows, float *z);

#endif
