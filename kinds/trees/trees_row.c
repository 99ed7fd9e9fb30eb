#include "kinds/trees/trees_row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vectors.h"
#include "scoring/numbers/matrix.h"

#define STRIDE_LEAST 4
#define STRIDE_MOST  32
#define BYTES_MAX    ((size_t)512 << 10) /* bytes of tables: second caches hold as much */
#define TREES_LEAST  ROW_LANES
#define COUNTED_MOST 256 /* tests of a column: all of them by vectors are faster than a search */

typedef uint32_t lane_masks __attribute__((vector_size(ROW_LANES * sizeof(uint32_t))));

static int compare_tests(const void *a, const void *b)
{
    const struct row_test *x = a, *y = b;

    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

/* Rows of a column's masks: for missing numbers, and for k = 0, stride, ... */
static size_t rows_of(uint32_t tests, uint32_t stride)
{
    return 2 + tests / stride;
}

static uint32_t padded(uint32_t count)
{
    return (count + ROW_LANES - 1) / ROW_LANES * ROW_LANES;
}

/* The columns, and how many rows of masks they have. */
static size_t find_columns(struct trees_row *row)
{
    uint32_t values = 0;
    size_t rows = 0;

    row->column_count = 0;
    for (uint32_t first = 0, end; first < row->test_count; first = end) {
        struct row_column *column = &row->columns[row->column_count++];

        for (end = first + 1;
             end < row->test_count && row->tests[end].column == row->tests[first].column;)
            end++;
        *column = (struct row_column){row->tests[first].column, first, end - first, values,
                                      rows * row->lanes};
        values += padded(end - first);
        rows += rows_of(end - first, row->stride);
    }
    return rows;
}

/* running (lanes) */
static void fill_column(const struct trees_row *row, const struct row_column *column,
                        uint32_t *running)
{
    const struct row_test *tests = row->tests + column->first;
    uint32_t *masks = row->masks + column->masks;

    memset(running, 0xff, row->lanes * sizeof *running);
    for (uint32_t k = 0; k < column->count; k++)
        if (!tests[k].missing_left)
            running[tests[k].tree] &= tests[k].kept;
    memcpy(masks, running, row->lanes * sizeof *masks);
    memset(running, 0xff, row->lanes * sizeof *running);
    for (uint32_t k = 0; k <= column->count; k++) {
        if (k % row->stride == 0)
            memcpy(masks + (1 + k / row->stride) * (size_t)row->lanes, running,
                   row->lanes * sizeof *masks);
        if (k < column->count)
            running[tests[k].tree] &= tests[k].kept;
    }
}

/* The thresholds of a column, and NaN, which no number reaches, up to whole vectors. */
static void fill_values(const struct trees_row *row, const struct row_column *column)
{
    float *values = row->values + column->values;

    for (uint32_t k = 0; k < padded(column->count); k++)
        values[k] = k < column->count ? row->tests[column->first + k].value : NAN;
}

static bool fill_columns(struct trees_row *row, size_t rows)
{
    const size_t values = row->test_count + (size_t)row->column_count * ROW_LANES;
    uint32_t *running = matrix_new(1, row->lanes, sizeof *running);

    row->values = matrix_new(1, values, sizeof *row->values);
    row->masks = matrix_new(rows, row->lanes, sizeof *row->masks);
    if (running && row->values && row->masks)
        for (uint32_t i = 0; i < row->column_count; i++) {
            fill_values(row, &row->columns[i]);
            fill_column(row, &row->columns[i], running);
        }
    free(running);
    return running && row->values && row->masks;
}

bool trees_row_init(struct trees_row *row, struct row_test *tests, uint32_t count, uint32_t trees)
{
    size_t rows = 0;

    *row = (struct trees_row){.tests = tests, .test_count = count, .stride = STRIDE_LEAST};
    row->lanes = padded(trees);
    row->columns = calloc(count + (size_t)1, sizeof *row->columns);
    if (!row->columns)
        return false;
    qsort(tests, count, sizeof *tests, compare_tests);
    for (; row->stride <= STRIDE_MOST; row->stride *= 2) {
        rows = find_columns(row);
        if (rows * row->lanes * sizeof *row->masks <= BYTES_MAX)
            break;
    }
    if (trees >= TREES_LEAST && row->stride <= STRIDE_MOST && row->column_count <= ROW_COLUMNS_MAX)
        return fill_columns(row, rows);
    row->test_count = 0;
    return true;
}

void trees_row_deinit(struct trees_row *row)
{
    free(row->tests);
    free(row->values);
    free(row->columns);
    free(row->masks);
    *row = (struct trees_row){0};
}

/* How many of the ascending values are at most the number. */
static uint32_t search(const float *values, uint32_t count, float number)
{
    const float *base = values;

    for (; count > 1; count -= count / 2)
        base += (size_t)(base[count / 2 - 1] <= number) * (count / 2);
    return (uint32_t)(base - values) + (count == 1 && *base <= number);
}

WIDE_VECTORS
static void join_rows(const uint32_t *const *rows, uint32_t count, uint32_t lanes, uint32_t *masks)
{
    for (uint32_t lane = 0; lane < lanes; lane += ROW_LANES) {
        lane_masks joined = {0};

        joined = ~joined;
        for (uint32_t i = 0; i < count; i++)
            joined &= *(const lane_masks *)(const void *)(rows[i] + lane);
        memcpy(masks + lane, &joined, sizeof joined);
    }
}

/* Finds for each column how many tests fail, and the last row of masks that is known before. */
WIDE_VECTORS
static void find_rows(const struct trees_row *row, const float *dense, const uint32_t **rows,
                      uint32_t *counts)
{
    for (uint32_t i = 0; i < row->column_count; i++) {
        const struct row_column *column = &row->columns[i];
        const float *values = row->values + column->values, number = dense[column->column];
        uint32_t count = 0;

        rows[i] = row->masks + column->masks;
        counts[i] = 0;
        if (isnan(number))
            continue;
        if (column->count > COUNTED_MOST)
            count = search(values, column->count, number);
        else
            for (uint32_t k = 0; k < padded(column->count); k++)
                count += values[k] <= number;
        counts[i] = count;
        rows[i] += (1 + count / row->stride) * (size_t)row->lanes;
    }
}

void trees_row_masks(const struct trees_row *row, const float *dense, uint32_t *masks)
{
    const uint32_t *rows[ROW_COLUMNS_MAX];
    uint32_t counts[ROW_COLUMNS_MAX];

    find_rows(row, dense, rows, counts);
    join_rows(rows, row->column_count, row->lanes, masks);
    for (uint32_t i = 0; i < row->column_count; i++) {
        const struct row_test *tests = row->tests + row->columns[i].first;

        const uint32_t first = counts[i] - counts[i] % row->stride;

        for (uint32_t k = first; k < first + row->stride && k < row->columns[i].count; k++)
            masks[tests[k].tree] &= tests[k].kept | (uint32_t) - (k >= counts[i]);
    }
}
