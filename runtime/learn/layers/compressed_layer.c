#include "runtime/learn/layers/compressed_layer.h"

#include "arithmetic/products.h"
#include "base/vectors.h"

static size_t width_of(const struct compressed_layer *op)
{
    return (size_t)op->maps * op->fields;
}

static size_t some_of(size_t rows, size_t first)
{
    return rows - first < COMPRESSED_ROWS ? rows - first : COMPRESSED_ROWS;
}

/* products (rows, maps * fields) */
WIDE_VECTORS
static void multiply(const struct compressed_layer *op, size_t rows, const float *restrict x0,
                     const float *restrict before, float *restrict products)
{
    for (size_t r = 0; r < rows; r++, x0 += op->fields, before += op->maps)
        for (uint32_t m = 0; m < op->maps; m++, products += op->fields)
            for (uint32_t f = 0; f < op->fields; f++)
                products[f] = before[m] * x0[f];
}

void compressed_layer_forward(const struct compressed_layer *op, const float *parameters,
                              size_t rows, const float *x0, const float *before, float *room,
                              float *next)
{
    for (size_t first = 0; first < rows; first += COMPRESSED_ROWS) {
        const struct product product = {
            .n = some_of(rows, first),
            .k = width_of(op),
            .m = op->units,
            .a = room,
            .a_row = width_of(op),
            .a_column = 1,
            .b = parameters + op->weights,
            .b_row = op->units,
            .c = next + first * op->units,
            .c_row = op->units,
        };

        multiply(op, product.n, x0 + first * op->fields, before + first * op->maps, room);
        product_compute(&product);
    }
}

/* dW (+)= productsT delta */
static void add_weights(const struct compressed_layer *op, size_t rows, const float *products,
                        const float *delta, bool is_first, float *gradient)
{
    float *dweights = gradient + op->weights;
    const struct product product = {
        .n = width_of(op),
        .k = rows,
        .m = op->units,
        .a = products,
        .a_row = 1,
        .a_column = width_of(op),
        .b = delta,
        .b_row = op->units,
        .start = is_first ? NULL : dweights,
        .start_row = op->units,
        .c = dweights,
        .c_row = op->units,
    };

    product_compute(&product);
}

/* The gradient of the products becomes that of their factors. */
WIDE_VECTORS
static void divide(const struct compressed_layer *op, size_t rows, const float *restrict dproducts,
                   const float *restrict x0, const float *restrict before, float *restrict dx0,
                   float *restrict dbefore)
{
    for (size_t r = 0; r < rows; r++) {
        for (uint32_t m = 0; m < op->maps; m++, dproducts += op->fields) {
            float sum = 0;

            for (uint32_t f = 0; f < op->fields; f++) {
                sum += dproducts[f] * x0[f];
                dx0[f] += dproducts[f] * before[m];
            }
            dbefore[m] += sum;
        }
        x0 += op->fields;
        dx0 += op->fields;
        before += op->maps;
        dbefore += op->maps;
    }
}

void compressed_layer_backward(const struct compressed_layer *op, const float *transposed,
                               size_t rows, const float *x0, const float *before,
                               const float *delta, bool is_first, float *room, float *dx0,
                               float *dbefore, float *gradient)
{
    float *products = room, *dproducts = room + compressed_room(op);

    for (size_t first = 0; first < rows; first += COMPRESSED_ROWS) {
        const size_t n = some_of(rows, first), x = first * op->fields, b = first * op->maps;
        const struct product product = {
            .n = n,
            .k = op->units,
            .m = width_of(op),
            .a = delta + first * op->units,
            .a_row = op->units,
            .a_column = 1,
            .b = transposed + op->transposed,
            .b_row = width_of(op),
            .c = dproducts,
            .c_row = width_of(op),
        };

        multiply(op, n, x0 + x, before + b, products);
        add_weights(op, n, products, delta + first * op->units, is_first && first == 0, gradient);
        product_compute(&product);
        divide(op, n, dproducts, x0 + x, before + b, dx0 + x, dbefore + b);
    }
}
