/*
 * layer_sums.h - what a layer adds up: z (rows, width) = b + x (rows, inputs) W.
 *
 * Each output starts from its bias and adds input after input in ascending
 * order, product and sum rounded apart. Rows and outputs are computed side by
 * side, never parts of one sum: the bits depend neither on how many rows come
 * together nor on the width of the processor's vectors. Several rows at a time
 * share each read of the weights, and are several times as fast as one.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"

#define SUMS_PANEL 16 /* outputs: a multiple of the lanes of all vectors */

/* Sums of whole panels of outputs; columns of W lie in rows of `stride` floats. */
struct sums_operands {
    const float *x; /* (rows, inputs) */
    size_t rows, inputs;
    const float *weights, *bias;
    size_t stride, columns;
    float *z;
    size_t z_stride;
};

/* One source, compiled for each set of vectors. */
struct sums_kernel {
    const char *name; /* "avx512f", "avx2", "baseline" */
    bool (*is_supported)(void);
    void (*multiply)(const struct sums_operands *operands);
};

/* The widest first; `baseline` is the last and runs everywhere. */
extern const struct sums_kernel sums_kernels[];
extern const size_t sums_kernel_count;
const struct sums_kernel *sums_kernel_best(void);

/* A layer's weights, borrowed but for the outputs beyond the last whole panel:
 * those lie here again, in a panel filled up with zeros. */
struct layer_sums {
    const float *weights, *bias;
    size_t inputs, width;
    float *tail; /* (1 + inputs, SUMS_PANEL): bias, weights. NULL: none */
};

enum status layer_sums_init(struct layer_sums *sums, const float *weights, const float *bias,
                            size_t inputs, size_t width, struct error *err);
void layer_sums_deinit(struct layer_sums *sums);
void layer_sums_compute(const struct layer_sums *sums, const struct sums_kernel *kernel,
                        const float *x, size_t rows, float *z);
