#include "runtime/learn/layers/cross_layer.h"

#include <string.h>

#include "arithmetic/kernels.h"
#include "arithmetic/products.h"
#include "base/vectors.h"

/* ---- forward ---- */

WIDE_VECTORS
static void next_by_vector(size_t width, float inner, const float *restrict bias,
                           const float *restrict x0, const float *restrict x, float *restrict next)
{
    for (size_t j = 0; j < width; j++)
        next[j] = x0[j] * inner + bias[j] + x[j];
}

WIDE_VECTORS
static void next_by_matrix(size_t count, const float *restrict inner, const float *restrict x0,
                           const float *restrict x, float *restrict next)
{
    for (size_t i = 0; i < count; i++)
        next[i] = x0[i] * inner[i] + x[i];
}

void cross_layer_forward(const struct cross_layer *op, const float *parameters, size_t n,
                         const float *x0, const float *x, float *inner, float *next)
{
    const size_t width = op->width;

    if (op->by_matrix) {
        affine_forward(&op->map, parameters, n, x, inner);
        next_by_matrix(n * width, inner, x0, x, next);
        return;
    }
    product_dots(n, width, x, parameters + op->map.weights, 0, inner);
    for (size_t i = 0; i < n; i++)
        next_by_vector(width, inner[i], parameters + op->map.bias, x0 + i * width, x + i * width,
                       next + i * width);
}

/* ---- backward ---- */

/* dx0 += delta * inner, and room = delta * x0 */
WIDE_VECTORS
static void split_delta(size_t count, const float *restrict delta, const float *restrict inner,
                        const float *restrict x0, float *restrict dx0, float *restrict room)
{
    for (size_t i = 0; i < count; i++) {
        dx0[i] += delta[i] * inner[i];
        room[i] = delta[i] * x0[i];
    }
}

WIDE_VECTORS
static void add(size_t count, const float *restrict from, float *restrict to)
{
    for (size_t i = 0; i < count; i++)
        to[i] += from[i];
}

/* room (2n, width): what the inner product's gradient is made from, and that of x. */
static void backward_by_matrix(const struct cross_layer *op, const float *parameters,
                               const float *transposed, size_t n, const float *x0, const float *x,
                               const float *inner, bool is_first, float *room, float *delta,
                               float *dx0, float *gradient)
{
    const size_t count = n * op->width;

    split_delta(count, delta, inner, x0, dx0, room);
    affine_backward(&op->map, n, x, room, is_first, gradient);
    affine_backward_inputs(&op->map, parameters, transposed, n, room, false, room + count);
    add(count, room + count, delta);
}

WIDE_VECTORS
static void backward_row(size_t width, float inner, float of_inner, const float *restrict weights,
                         const float *restrict x, float *restrict delta, float *restrict dx0,
                         float *restrict dweights)
{
    for (size_t j = 0; j < width; j++) {
        dx0[j] += delta[j] * inner;
        dweights[j] += of_inner * x[j];
        delta[j] += of_inner * weights[j];
    }
}

static void backward_by_vector(const struct cross_layer *op, const float *parameters, size_t n,
                               const float *x0, const float *x, const float *inner, bool is_first,
                               float *delta, float *dx0, float *gradient)
{
    const size_t width = op->width;
    float *dweights = gradient + op->map.weights, *dbias = gradient + op->map.bias;

    if (is_first) {
        memset(dweights, 0, width * sizeof *dweights);
        memset(dbias, 0, width * sizeof *dbias);
    }
    rows_sum(delta, n, width, dbias);
    for (size_t i = 0; i < n; i++) {
        float of_inner;

        product_dots(1, width, delta + i * width, x0 + i * width, 0, &of_inner);
        backward_row(width, inner[i], of_inner, parameters + op->map.weights, x + i * width,
                     delta + i * width, dx0 + i * width, dweights);
    }
}

void cross_layer_backward(const struct cross_layer *op, const float *parameters,
                          const float *transposed, size_t n, const float *x0, const float *x,
                          const float *inner, bool is_first, float *room, float *delta, float *dx0,
                          float *gradient)
{
    if (op->by_matrix)
        backward_by_matrix(op, parameters, transposed, n, x0, x, inner, is_first, room, delta, dx0,
                           gradient);
    else
        backward_by_vector(op, parameters, n, x0, x, inner, is_first, delta, dx0, gradient);
}
