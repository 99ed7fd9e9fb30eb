#include "runtime/learn/layers/lane_gather.h"

#include <string.h>

/* Row i of those that begin there. */
static uint64_t row_at(const struct lane_rows *rows, const struct rows_at *at, uint32_t i)
{
    return rows->order ? at->from + rows->order[at->first + i]
                       : at->first + i * (1 + (uint64_t)rows->between);
}

/* Behind the rows of a lane its order has numbers of another one. */
static uint64_t expected_row(const struct lane_rows *rows, uint32_t i)
{
    const uint64_t row = row_at(rows, &rows->expected, i);

    return row < rows->part->rows ? row : rows->part->rows - 1;
}

/* Rows lie anywhere in memory: ask for those that probably come next. */
static void expect_rows(const struct lane_rows *rows, uint32_t i)
{
    const uint64_t apart = 1 + (uint64_t)rows->between;

    if ((!rows->order && apart == 1) ||
        rows->expected.first + (i + LANE_ROWS_AHEAD) * apart >= rows->part->rows)
        return;
    dataset_expect_label(rows->part, expected_row(rows, i + LANE_ROWS_AHEAD));
    dataset_prefetch_row(rows->dataset, rows->part, expected_row(rows, i));
}

static void take_dense(const struct lane_rows *rows, uint64_t row, uint32_t at,
                       const struct gathered *to)
{
    const struct transform *transform = &rows->dataset->transform;
    const size_t features = transform_features(transform);
    const float *dense = rows->part->dense + row * transform->dense_width;

    if (transform->offset_width == 0) {
        dataset_take_row(rows->dataset, rows->part, row, to->dense + at * features);
        return;
    }
    memcpy(to->dense + at * features, dense, features * sizeof *dense);
    to->offsets[at] = (float)transform_offset(transform, dense);
}

void lane_gather(const struct loss_head *head, const struct lane_rows *rows, uint32_t offset,
                 uint32_t count, const struct gathered *to)
{
    const size_t width = rows->dataset->transform.dense_width;
    const size_t ids = rows->dataset->transform.id_count;

    for (uint32_t i = 0; i < count; i++) {
        const uint64_t row = row_at(rows, &rows->at, offset + i);

        expect_rows(rows, offset + i);
        if (width)
            take_dense(rows, row, i, to);
        if (ids == 1)
            to->ids[i] = rows->part->ids[row];
        else if (ids)
            memcpy(to->ids + i * ids, rows->part->ids + row * ids, ids * sizeof(int32_t));
        loss_head_take(head, rows, row, i, to->labels);
    }
}
