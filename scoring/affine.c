#include "scoring/affine.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TAIL_ROWS 48 /* whose tails are computed at a time, on the stack */

#if defined(__x86_64__)
#define KERNEL         multiply_avx512f
#define KERNEL_TARGET  __attribute__((target("avx512f")))
#define KERNEL_LANES   16
#define KERNEL_ROWS    6
#define KERNEL_VECTORS 1
#define KERNEL_SINGLE  4
#include "scoring/affine_kernel.h"

#define KERNEL         multiply_avx2
#define KERNEL_TARGET  __attribute__((target("avx2")))
#define KERNEL_LANES   8
#define KERNEL_ROWS    6
#define KERNEL_VECTORS 1
#define KERNEL_SINGLE  8
#include "scoring/affine_kernel.h"

static bool has_avx512f(void)
{
    return __builtin_cpu_supports("avx512f");
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}
#endif

#define KERNEL multiply_baseline
#define KERNEL_TARGET
#define KERNEL_LANES   4
#define KERNEL_ROWS    4
#define KERNEL_VECTORS 2
#define KERNEL_SINGLE  8
#include "scoring/affine_kernel.h"

static bool always(void)
{
    return true;
}

const struct affine_kernel affine_kernels[] = {
#if defined(__x86_64__)
    {"avx512f", has_avx512f, multiply_avx512f},
    {"avx2", has_avx2, multiply_avx2},
#endif
    {"baseline", always, multiply_baseline},
};
const size_t affine_kernel_count = sizeof affine_kernels / sizeof *affine_kernels;

const struct affine_kernel *affine_kernel_best(void)
{
    const struct affine_kernel *kernel = affine_kernels;

    while (!kernel->is_supported())
        kernel++;
    return kernel;
}

static size_t whole_panels(const struct affine *affine)
{
    return affine->width - affine->width % AFFINE_PANEL;
}

enum status affine_init(struct affine *affine, const float *weights, const float *bias,
                        size_t inputs, size_t width, struct error *err)
{
    size_t whole, rest;

    *affine = (struct affine){.weights = weights, .bias = bias, .inputs = inputs, .width = width};
    whole = whole_panels(affine);
    rest = width - whole;
    if (rest == 0)
        return STATUS_OK;
    affine->tail = calloc((inputs + 1) * AFFINE_PANEL, sizeof *affine->tail);
    if (!affine->tail)
        return fail_no_memory(err);
    memcpy(affine->tail, bias + whole, rest * sizeof *bias);
    for (size_t i = 0; i < inputs; i++)
        memcpy(affine->tail + (i + 1) * AFFINE_PANEL, weights + i * width + whole,
               rest * sizeof *weights);
    return STATUS_OK;
}

void affine_deinit(struct affine *affine)
{
    free(affine->tail);
    *affine = (struct affine){0};
}

static void multiply_tail(const struct affine *affine, const struct affine_kernel *kernel,
                          const float *x, size_t rows, float *z)
{
    const size_t whole = whole_panels(affine), rest = affine->width - whole;
    float panel[TAIL_ROWS * AFFINE_PANEL];

    for (size_t row = 0; row < rows; row += TAIL_ROWS) {
        const size_t count = rows - row < TAIL_ROWS ? rows - row : TAIL_ROWS;

        kernel->multiply(&(struct affine_operands){.x = x + row * affine->inputs,
                                                   .rows = count,
                                                   .inputs = affine->inputs,
                                                   .weights = affine->tail + AFFINE_PANEL,
                                                   .bias = affine->tail,
                                                   .stride = AFFINE_PANEL,
                                                   .columns = AFFINE_PANEL,
                                                   .z = panel,
                                                   .z_stride = AFFINE_PANEL});
        for (size_t i = 0; i < count; i++)
            memcpy(z + (row + i) * affine->width + whole, panel + i * AFFINE_PANEL,
                   rest * sizeof *z);
    }
}

void affine_rows(const struct affine *affine, const struct affine_kernel *kernel, const float *x,
                 size_t rows, float *z)
{
    if (whole_panels(affine) > 0)
        kernel->multiply(&(struct affine_operands){.x = x,
                                                   .rows = rows,
                                                   .inputs = affine->inputs,
                                                   .weights = affine->weights,
                                                   .bias = affine->bias,
                                                   .stride = affine->width,
                                                   .columns = whole_panels(affine),
                                                   .z = z,
                                                   .z_stride = affine->width});
    if (affine->tail)
        multiply_tail(affine, kernel, x, rows, z);
}
