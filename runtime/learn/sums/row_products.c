#include "runtime/learn/sums/row_products.h"

#include <string.h>

#include "base/vectors.h"

#define COLUMNS_TASK 8 /* columns of a task */
#define ROWS_BLOCK   256
#define LANES        8
#define TILE         4 /* vectors: as many sums as do not wait for each other */

typedef double numbers __attribute__((vector_size(LANES * sizeof(double))));

/* Adds weighted[i] x[i] of rows in their order to so many vectors of products. */
VECTORS_PART void add_vectors(const double *x, size_t columns, const double *weighted,
                              uint32_t rows, double *products, uint32_t vectors)
{
    numbers sums[TILE], values;

    memcpy(sums, products, vectors * sizeof *sums);
    for (uint32_t i = 0; i < rows; i++, x += columns)
        for (uint32_t k = 0; k < vectors; k++) {
            memcpy(&values, x + (size_t)k * LANES, sizeof values);
            sums[k] += weighted[i] * values;
        }
    memcpy(products, sums, vectors * sizeof *sums);
}

VECTORS_PART void add_rest(const double *x, size_t columns, const double *weighted, uint32_t rows,
                           double *products, uint32_t count)
{
    for (uint32_t i = 0; i < rows; i++, x += columns)
        for (uint32_t j = 0; j < count; j++)
            products[j] += weighted[i] * x[j];
}

WIDE_VECTORS
static void add_block(const double *x, size_t columns, const double *weighted, uint32_t rows,
                      double *restrict products, uint32_t count)
{
    uint32_t j = 0;

    for (; j + TILE * LANES <= count; j += TILE * LANES)
        add_vectors(x + j, columns, weighted, rows, products + j, TILE);
    for (; j + 2 * LANES <= count; j += 2 * LANES)
        add_vectors(x + j, columns, weighted, rows, products + j, 2);
    for (; j + LANES <= count; j += LANES)
        add_vectors(x + j, columns, weighted, rows, products + j, 1);
    add_rest(x + j, columns, weighted, rows, products + j, count - j);
}

void row_products_of(const struct row_products *sums, uint32_t column)
{
    double weighted[ROWS_BLOCK];
    uint32_t rows;

    for (uint32_t first = 0; first < sums->rows; first += rows) {
        const double *x = sums->x + (size_t)first * sums->columns;

        rows = sums->rows - first < ROWS_BLOCK ? sums->rows - first : ROWS_BLOCK;
        for (uint32_t i = 0; i < rows; i++)
            weighted[i] =
                sums->weights[(first + i) * sums->stride] * x[(size_t)i * sums->columns + column];
        add_block(x, sums->columns, weighted, rows, sums->products + row_pairs(column), column + 1);
    }
}

static void add_columns(void *context, uint32_t member, uint32_t task)
{
    const struct row_products *sums = context;
    const uint32_t first = task * COLUMNS_TASK;
    (void)member;

    for (uint32_t i = first; i < sums->columns && i < first + COLUMNS_TASK; i++)
        row_products_of(sums, i);
}

void row_products_add(struct row_products *sums, struct team *team)
{
    team_run(team, (sums->columns + COLUMNS_TASK - 1) / COLUMNS_TASK, add_columns, sums);
}

void row_products_unfold(uint32_t columns, const double *lower, double *matrix, size_t stride)
{
    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j <= i; j++)
            matrix[i * stride + j] = matrix[j * stride + i] = *lower++;
}
