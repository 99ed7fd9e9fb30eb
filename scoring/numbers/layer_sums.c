#include "scoring/numbers/layer_sums.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TAIL_ROWS 48 /* rows whose tails are computed at a time, on the stack */

#if defined(__x86_64__)
#define KERNEL         multiply_avx512f
#define KERNEL_TARGET  __attribute__((target("avx512f")))
#define KERNEL_LANES   16
#define KERNEL_ROWS    6
#define KERNEL_VECTORS 1
#define KERNEL_SINGLE  4
#include "scoring/numbers/layer_sums_kernel.h"

#define KERNEL         multiply_avx2
#define KERNEL_TARGET  __attribute__((target("avx2")))
#define KERNEL_LANES   8
#define KERNEL_ROWS    6
#define KERNEL_VECTORS 1
#define KERNEL_SINGLE  8
#include "scoring/numbers/layer_sums_kernel.h"

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
#include "scoring/numbers/layer_sums_kernel.h"

static bool always(void)
{
    return true;
}

const struct sums_kernel sums_kernels[] = {
#if defined(__x86_64__)
    {"avx512f", has_avx512f, multiply_avx512f},
    {"avx2", has_avx2, multiply_avx2},
#endif
    {"baseline", always, multiply_baseline},
};
const size_t sums_kernel_count = sizeof sums_kernels / sizeof *sums_kernels;

const struct sums_kernel *sums_kernel_best(void)
{
    const struct sums_kernel *kernel = sums_kernels;

    while (!kernel->is_supported())
        kernel++;
    return kernel;
}

static size_t whole_panels(const struct layer_sums *sums)
{
    return sums->width - sums->width % SUMS_PANEL;
}

enum status layer_sums_init(struct layer_sums *sums, const float *weights, const float *bias,
                            size_t inputs, size_t width, struct error *err)
{
    size_t whole, rest;

    *sums = (struct layer_sums){.weights = weights, .bias = bias, .inputs = inputs, .width = width};
    whole = whole_panels(sums);
    rest = width - whole;
    if (rest == 0)
        return STATUS_OK;
    sums->tail = calloc((inputs + 1) * SUMS_PANEL, sizeof *sums->tail);
    if (!sums->tail)
        return fail_no_memory(err);
    memcpy(sums->tail, bias + whole, rest * sizeof *bias);
    for (size_t i = 0; i < inputs; i++)
        memcpy(sums->tail + (i + 1) * SUMS_PANEL, weights + i * width + whole,
               rest * sizeof *weights);
    return STATUS_OK;
}

void layer_sums_deinit(struct layer_sums *sums)
{
    free(sums->tail);
    *sums = (struct layer_sums){0};
}

static void multiply_tail(const struct layer_sums *sums, const struct sums_kernel *kernel,
                          const float *x, size_t rows, float *z)
{
    const size_t whole = whole_panels(sums), rest = sums->width - whole;
    float panel[TAIL_ROWS * SUMS_PANEL];

    for (size_t row = 0; row < rows; row += TAIL_ROWS) {
        const size_t count = rows - row < TAIL_ROWS ? rows - row : TAIL_ROWS;

        kernel->multiply(&(struct sums_operands){.x = x + row * sums->inputs,
                                                 .rows = count,
                                                 .inputs = sums->inputs,
                                                 .weights = sums->tail + SUMS_PANEL,
                                                 .bias = sums->tail,
                                                 .stride = SUMS_PANEL,
                                                 .columns = SUMS_PANEL,
                                                 .z = panel,
                                                 .z_stride = SUMS_PANEL});
        for (size_t i = 0; i < count; i++)
            memcpy(z + (row + i) * sums->width + whole, panel + i * SUMS_PANEL, rest * sizeof *z);
    }
}

void layer_sums_compute(const struct layer_sums *sums, const struct sums_kernel *kernel,
                        const float *x, size_t rows, float *z)
{
    if (whole_panels(sums) > 0)
        kernel->multiply(&(struct sums_operands){.x = x,
                                                 .rows = rows,
                                                 .inputs = sums->inputs,
                                                 .weights = sums->weights,
                                                 .bias = sums->bias,
                                                 .stride = sums->width,
                                                 .columns = whole_panels(sums),
                                                 .z = z,
                                                 .z_stride = sums->width});
    if (sums->tail)
        multiply_tail(sums, kernel, x, rows, z);
}
