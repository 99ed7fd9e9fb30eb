#include "runtime/learn/sums/row_products.h"

#define COLUMNS_TASK 8 /* columns of a task */

void row_products_of(const struct row_products *sums, uint32_t column)
{
    double *restrict products = sums->products + row_pairs(column);

    for (uint32_t i = 0; i < sums->rows; i++) {
        const double *restrict x = sums->x + (size_t)i * sums->columns;
        const double weighted = sums->weights[i * sums->stride] * x[column];

        for (uint32_t j = 0; j <= column; j++)
            products[j] += weighted * x[j];
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
