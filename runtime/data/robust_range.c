#include "runtime/data/robust_range.h"

#include <stdlib.h>

#include "runtime/data/spool_reader.h"

#define NORMAL_QUARTILES 1.349 /* from the first to the third of a normal distribution, by its */
#define NORMAL_TAILS     3.290 /* deviation; from the share of .05 to that of .95 */

/* ---- of numbers ---- */

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double quantile(const double *sorted, size_t count, uint32_t percent)
{
    return sorted[(count - 1) * percent / 100];
}

bool robust_range_of(double *numbers, size_t count, struct robust_range *range)
{
    if (count < ROBUST_ROWS_MIN)
        return false;
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    range->middle = quantile(numbers, count, 50);
    range->deviation =
        (quantile(numbers, count, 75) - quantile(numbers, count, 25)) / NORMAL_QUARTILES;
    if (!(range->deviation > 0)) /* half of the values are the same one */
        range->deviation =
            (quantile(numbers, count, 95) - quantile(numbers, count, 5)) / NORMAL_TAILS;
    return range->deviation > 0;
}

/* ---- the rows ---- */

/* Some training rows, in memory as long as `need` is not done. */
struct picked {
    const struct spool *spool;
    struct picked_row {
        const struct spool_column_view *columns; /* of its block */
        uint32_t row;
    } * rows; /* (ROBUST_ROWS) */
    uint32_t count;
    struct spool_column_view *views; /* (blocks, column_count) of a spool that lies by key */
    struct spool_need *need;
    double *numbers; /* (ROBUST_ROWS) */
};

static void picked_deinit(struct picked *picked)
{
    if (picked->need)
        spool_done_with(picked->spool, picked->need);
    free(picked->rows);
    free(picked->views);
    free(picked->numbers);
}

static void pick(struct picked *picked, const struct spool_column_view *columns, uint32_t row)
{
    picked->rows[picked->count++] = (struct picked_row){columns, row};
}

/* How many blocks of the sample have the first ROBUST_ROWS of its rows. */
static uint32_t sample_blocks(const struct spool *spool)
{
    uint32_t rows = 0, blocks = 0;

    while (spool->ranges.sample_block + blocks < spool->block_count && rows < ROBUST_ROWS)
        rows += spool->blocks[spool->ranges.sample_block + blocks++].rows;
    return blocks;
}

static enum status pick_block(struct picked *picked, uint32_t number,
                              struct spool_column_view *columns, struct error *err)
{
    struct spool_block block;

    TRY(spool_open_block(picked->spool, number, columns, &block, err));
    for (uint32_t row = 0; row < block.rows && picked->count < ROBUST_ROWS; row++)
        pick(picked, columns, row);
    return STATUS_OK;
}

static enum status pick_sample(struct picked *picked, struct error *err)
{
    const struct spool *spool = picked->spool;
    const uint32_t blocks = sample_blocks(spool), first = spool->ranges.sample_block;
    uint32_t numbers[ROBUST_ROWS];

    for (uint32_t b = 0; b < blocks; b++)
        numbers[b] = first + b;
    picked->views = calloc((size_t)blocks * spool->column_count + 1, sizeof *picked->views);
    if (!picked->views)
        return fail_no_memory(err);
    TRY(spool_need_blocks(spool, numbers, blocks, &picked->need, err));
    for (uint32_t b = 0; b < blocks; b++)
        TRY(pick_block(picked, first + b, picked->views + (size_t)b * spool->column_count, err));
    return STATUS_OK;
}

/* Of the rows that are used the one at each of ROBUST_ROWS equal distances. */
static void pick_apart(struct picked *picked, const uint8_t *is_used)
{
    const struct spool *spool = picked->spool;
    uint64_t used = 0, rank = 0;

    for (uint64_t row = 0; row < spool->rows; row++)
        used += !is_used || is_used[row];
    for (uint32_t b = 0; b < spool->block_count; b++) {
        const struct spool_block *block = &spool->blocks[b];

        for (uint32_t row = 0; row < block->rows && picked->count < ROBUST_ROWS; row++) {
            if (is_used && !is_used[block->first_row + row])
                continue;
            if (used <= ROBUST_ROWS || rank * ROBUST_ROWS / used == picked->count)
                pick(picked, block->columns, row);
            rank++;
        }
    }
}

static enum status pick_rows(struct picked *picked, const uint8_t *is_used, struct error *err)
{
    picked->rows = calloc(ROBUST_ROWS, sizeof *picked->rows);
    picked->numbers = calloc(ROBUST_ROWS, sizeof *picked->numbers);
    if (!picked->rows || !picked->numbers)
        return fail_no_memory(err);
    if (picked->spool->is_keyed)
        return pick_sample(picked, err);
    pick_apart(picked, is_used);
    return STATUS_OK;
}

/* ---- columns ---- */

static size_t take_numbers(struct picked *picked, uint32_t column)
{
    size_t count = 0;

    for (uint32_t i = 0; i < picked->count; i++) {
        const struct spool_column_view *view = &picked->rows[i].columns[column];

        if (!spool_is_null(view, picked->rows[i].row))
            picked->numbers[count++] = spool_number(view, picked->rows[i].row);
    }
    return count;
}

static void note_range(const struct transform_input *input, const struct robust_range *range,
                       double deviation, struct notice_list *notices)
{
    notice_add(notices, NOTICE_OUTLIERS,
               "column \"%.*s\": a few values are far from all others (its deviation is %.3g, that "
               "of its middle half %.3g around %.3g): it is scaled by its middle half, and values "
               "beyond %.4g and %.4g count as these",
               SLICE_FORMAT(input->name), deviation, range->deviation, range->middle,
               range->middle - (double)ROBUST_LIMIT * range->deviation,
               range->middle + (double)ROBUST_LIMIT * range->deviation);
    notice_hint(notices, "If they stand for missing values, make NULL of them, as by "
                         "nullif(column, -999).");
}

static void settle_column(struct picked *picked, uint32_t column, struct dataset *dataset)
{
    struct transform *transform = &dataset->transform;
    const double deviation = transform->inputs[column].scale;
    struct robust_range range;

    if (!robust_range_of(picked->numbers, take_numbers(picked, column), &range) ||
        deviation <= ROBUST_DOMINATED * range.deviation)
        return;
    transform_limit(transform, column, range.middle, range.deviation, ROBUST_LIMIT);
    note_range(&transform->inputs[column], &range, deviation, dataset->notices);
}

enum status robust_ranges(const struct spool *spool, const uint8_t *is_used,
                          struct dataset *dataset, struct error *err)
{
    struct picked picked = {.spool = spool};
    const enum status status = pick_rows(&picked, is_used, err);

    for (uint32_t i = 0; status == STATUS_OK && i < dataset->transform.input_count; i++)
        if (dataset->transform.inputs[i].type == INPUT_NUMERIC)
            settle_column(&picked, i, dataset);
    picked_deinit(&picked);
    return status;
}
