#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "scoring/numbers/activation.h"
#include "scoring/numbers/layer_sums.h"

#define ROWS_MAX   61
#define INPUTS_MAX 70
#define WIDTH_MAX  150

static float draw(uint64_t stream, uint64_t i)
{
    return (float)(200 * random_uniform(3, RANDOM_SIMULATION, stream, i) - 100);
}

static uint32_t draw_below(uint64_t stream, uint64_t i, uint32_t end)
{
    return (uint32_t)(random_bits(4, RANDOM_SIMULATION, stream, i) % end);
}

static float *draw_many(uint64_t stream, size_t count)
{
    float *floats = malloc((count + 1) * sizeof *floats);

    assert_non_null(floats);
    for (size_t i = 0; i < count; i++)
        floats[i] = draw(stream, i);
    return floats;
}

/* The sum that layer_sums.h promises, one output at a time, rounded after every step. */
static float add_up(const float *x, const float *weights, float bias, size_t inputs, size_t stride)
{
    volatile float sum = bias;

    for (size_t i = 0; i < inputs; i++) {
        volatile float product = x[i] * weights[i * stride];
        sum = sum + product;
    }
    return sum;
}

struct shape {
    size_t rows, inputs, width;
};

static void check_kernel(const struct sums_kernel *kernel, const struct shape *shape, uint64_t seed)
{
    const size_t outputs = shape->rows * shape->width;
    float *x = draw_many(seed * 3, shape->rows * shape->inputs);
    float *weights = draw_many(seed * 3 + 1, shape->inputs * shape->width);
    float *bias = draw_many(seed * 3 + 2, shape->width);
    float *z = malloc((outputs + 1) * sizeof *z);
    struct layer_sums sums;
    struct error err;

    assert_non_null(z);
    z[outputs] = 12345; /* the end is respected */
    CHECK_OK(layer_sums_init(&sums, weights, bias, shape->inputs, shape->width, &err));
    layer_sums_compute(&sums, kernel, x, shape->rows, z);
    for (size_t i = 0; i < outputs; i++) {
        const size_t row = i / shape->width, j = i % shape->width;
        const float expected =
            add_up(x + row * shape->inputs, weights + j, bias[j], shape->inputs, shape->width);

        assert_memory_equal(&z[i], &expected, sizeof expected);
    }
    CHECK(z[outputs] == 12345);
    layer_sums_deinit(&sums);
    free(x);
    free(weights);
    free(bias);
    free(z);
}

static void every_kernel_adds_in_the_same_order_to_the_last_bit(void **state)
{
    (void)state;
    for (size_t k = 0; k < sums_kernel_count; k++) {
        if (!sums_kernels[k].is_supported())
            continue;
        for (uint64_t i = 0; i < 150; i++) {
            const struct shape shape = {draw_below(0, i, ROWS_MAX), draw_below(1, i, INPUTS_MAX),
                                        1 + draw_below(2, i, WIDTH_MAX)};
            check_kernel(&sums_kernels[k], &shape, i);
        }
    }
}

static void the_best_kernel_is_the_widest_that_runs_here(void **state)
{
    const struct sums_kernel *best = sums_kernel_best();

    (void)state;
    CHECK(best->is_supported());
    for (const struct sums_kernel *kernel = sums_kernels; kernel < best; kernel++)
        CHECK(!kernel->is_supported());
    assert_string_equal(sums_kernels[sums_kernel_count - 1].name, "baseline");
    CHECK(sums_kernels[sums_kernel_count - 1].is_supported());
}

#if defined(__x86_64__)
/* The same source, compiled for one set of vectors each (scoring.cmake). */
void activation_forward_baseline(enum activation activation, float *a, size_t count);
void activation_forward_avx2(enum activation activation, float *a, size_t count);
void activation_forward_avx512f(enum activation activation, float *a, size_t count);

static void check_activation(void (*forward)(enum activation, float *, size_t))
{
    enum { COUNT = 20011 };
    float *mine = malloc(COUNT * sizeof *mine), *other = malloc(COUNT * sizeof *other);

    assert_non_null(mine);
    assert_non_null(other);
    for (int activation = ACTIVATION_IDENTITY; activation <= ACTIVATION_SIGMOID; activation++) {
        for (size_t i = 0; i < COUNT; i++)
            mine[i] = draw(9, i) / (float)(1 + i % 128 * (i % 128));
        memcpy(other, mine, COUNT * sizeof *mine);
        activation_forward((enum activation)activation, mine, COUNT);
        forward((enum activation)activation, other, COUNT);
        assert_memory_equal(mine, other, COUNT * sizeof *mine);
    }
    free(mine);
    free(other);
}

static void activations_are_the_same_bits_on_every_processor(void **state)
{
    (void)state;
    check_activation(activation_forward_baseline);
    if (__builtin_cpu_supports("avx2"))
        check_activation(activation_forward_avx2);
    if (__builtin_cpu_supports("avx512f"))
        check_activation(activation_forward_avx512f);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_adds_in_the_same_order_to_the_last_bit),
        cmocka_unit_test(the_best_kernel_is_the_widest_that_runs_here),
#if defined(__x86_64__)
        cmocka_unit_test(activations_are_the_same_bits_on_every_processor),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
