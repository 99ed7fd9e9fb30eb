#include "arithmetic/affine.h"

#include <string.h>

#include "arithmetic/kernels.h"
#include "arithmetic/products.h"

void affine_forward(const struct affine *op, const float *parameters, size_t n, const float *a,
                    float *z)
{
    const float *weights = parameters + op->weights,
                *bias = op->has_no_bias ? NULL : parameters + op->bias;
    const struct product product = {
        .n = n,
        .k = op->rows,
        .m = op->width,
        .a = a,
        .a_row = op->rows,
        .a_column = 1,
        .b = weights,
        .b_row = op->width,
        .start = bias,
        .c = z,
        .c_row = op->width,
    };

    if (op->width == 1)
        product_dots(n, op->rows, a, weights, bias ? *bias : 0, z);
    else
        product_compute(&product);
}

static void weights_backward(const struct affine *op, size_t n, const float *a, const float *delta,
                             bool is_first, float *gradient)
{
    const float *start = is_first ? NULL : gradient;
    const size_t rows = op->rows, width = op->width;
    /* One output: as a row, (1, n) (n, rows), whose elements lie side by side. */
    const struct product row = {
        .n = 1,
        .k = n,
        .m = rows,
        .a = delta,
        .a_row = 1,
        .a_column = 1,
        .b = a,
        .b_row = rows,
        .start = start,
        .start_row = rows,
        .c = gradient,
        .c_row = rows,
    };
    const struct product all = {
        .n = rows,
        .k = n,
        .m = width,
        .a = a,
        .a_row = 1,
        .a_column = rows,
        .b = delta,
        .b_row = width,
        .start = start,
        .start_row = width,
        .c = gradient,
        .c_row = width,
    };

    product_compute(width == 1 ? &row : &all);
}

void affine_backward(const struct affine *op, size_t n, const float *a, const float *delta,
                     bool is_first, float *gradient)
{
    float *bias = gradient + op->bias;

    weights_backward(op, n, a, delta, is_first, gradient + op->weights);
    if (op->has_no_bias)
        return;
    if (is_first)
        memset(bias, 0, op->width * sizeof *bias);
    rows_sum(delta, n, op->width, bias);
}

void affine_backward_inputs(const struct affine *op, const float *parameters,
                            const float *transposed, size_t n, const float *delta, bool adds,
                            float *da)
{
    const size_t rows = op->rows, width = op->width;
    const struct product product = {
        .n = n,
        .k = width,
        .m = rows,
        .a = delta,
        .a_row = width,
        .a_column = 1,
        .b = affine_has_transposed(op) ? transposed + op->transposed : parameters + op->weights,
        .b_row = rows,
        .start = adds ? da : NULL,
        .start_row = rows,
        .c = da,
        .c_row = rows,
    };

    product_compute(&product);
}

/* Written line by line, a matrix whose side is a power of two would fall on a
 * few sets of the cache: 600 us instead of 25 for 512 x 256. */
#define TILE 16
#define SIDE 4 /* side of a square that is turned in registers */

typedef float floats __attribute__((vector_size(SIDE * sizeof(float))));
typedef uint32_t words __attribute__((vector_size(SIDE * sizeof(uint32_t))));

/* Adds the words that are written over to the sum. */
static void put_line(float *to, floats line, words *over)
{
    words before;

    memcpy(&before, to, sizeof before);
    *over += before;
    memcpy(to, &line, sizeof line);
}

static void transpose_square(const float *from, size_t rows, size_t width, float *to, words *over)
{
    floats a, b, c, d, ab, cd;

    memcpy(&a, from, sizeof a);
    memcpy(&b, from + width, sizeof b);
    memcpy(&c, from + 2 * width, sizeof c);
    memcpy(&d, from + 3 * width, sizeof d);
    ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    put_line(to, __builtin_shufflevector(ab, cd, 0, 1, 4, 5), over);
    put_line(to + rows, __builtin_shufflevector(ab, cd, 2, 3, 6, 7), over);
    ab = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    put_line(to + 2 * rows, __builtin_shufflevector(ab, cd, 0, 1, 4, 5), over);
    put_line(to + 3 * rows, __builtin_shufflevector(ab, cd, 2, 3, 6, 7), over);
}

/* Those of a tile that are in no square. */
static uint32_t transpose_rest(const float *restrict from, size_t rows, size_t width, size_t high,
                               size_t wide, float *restrict to)
{
    uint32_t over = 0;

    for (size_t j = 0; j < wide; j++)
        for (size_t r = j < wide / SIDE * SIDE ? high / SIDE * SIDE : 0; r < high; r++) {
            uint32_t word;

            memcpy(&word, &to[j * rows + r], sizeof word);
            over += word;
            to[j * rows + r] = from[r * width + j];
        }
    return over;
}

static uint32_t transpose_tile(const float *restrict from, size_t rows, size_t width, size_t high,
                               size_t wide, float *restrict to)
{
    words over = {0};

    for (size_t j = 0; j + SIDE <= wide; j += SIDE)
        for (size_t r = 0; r + SIDE <= high; r += SIDE)
            transpose_square(from + r * width + j, rows, width, to + j * rows + r, &over);
    return over[0] + over[1] + over[2] + over[3] +
           transpose_rest(from, rows, width, high, wide, to);
}

static uint32_t transpose(const float *restrict from, size_t rows, size_t width, float *restrict to)
{
    uint32_t over = 0;

    for (size_t r = 0; r < rows; r += TILE)
        for (size_t j = 0; j < width; j += TILE)
            over +=
                transpose_tile(from + r * width + j, rows, width, rows - r < TILE ? rows - r : TILE,
                               width - j < TILE ? width - j : TILE, to + j * rows + r);
    return over;
}

uint32_t affine_transpose(const struct affine *op, const float *parameters, float *transposed)
{
    return transpose(parameters + op->weights, op->rows, op->width, transposed + op->transposed);
}
