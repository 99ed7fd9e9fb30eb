#include "graph/operations/matrices.h"

#include "arithmetic/products.h"

void matrix_add_product(const struct matrix *a, const struct matrix *b, float *c, size_t c_step)
{
    const struct product product = {
        .n = a->rows,
        .k = a->columns,
        .m = b->columns,
        .a = a->at,
        .a_row = a->step,
        .a_column = 1,
        .b = b->at,
        .b_row = b->step,
        .start = c,
        .start_row = c_step,
        .c = c,
        .c_row = c_step,
    };

    product_compute(&product);
}

void matrix_add_turned_product(const struct matrix *a, const struct matrix *b, float *c,
                               size_t c_step)
{
    const struct product product = {
        .n = a->columns,
        .k = a->rows,
        .m = b->columns,
        .a = a->at,
        .a_row = 1,
        .a_column = a->step,
        .b = b->at,
        .b_row = b->step,
        .start = c,
        .start_row = c_step,
        .c = c,
        .c_row = c_step,
    };

    product_compute(&product);
}

struct matrix matrix_turn(const struct matrix *a, float *turned)
{
    for (size_t i = 0; i < a->rows; i++)
        for (size_t j = 0; j < a->columns; j++)
            turned[j * a->rows + i] = a->at[i * a->step + j];
    return (struct matrix){turned, a->columns, a->rows, a->rows};
}
