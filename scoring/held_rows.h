/*
 * held_rows.h - the rows that an explanation is measured on: at most rows_max of those that come,
 * as the model takes them.
 *
 *     held_rows_init --> held_rows_add for each row, in any order --> held_rows_sort --> reading
 *
 * If more rows come, those with the least hashes of inputs, label and how many copies of the row
 * came before are held: a row that comes a thousand times has a thousand chances, each for itself.
 * Rows are read in the order of these hashes. So neither the order in which they come nor the
 * caller makes a difference, as long as no more different rows come than row_copies.h counts.
 */
#pragma once

#include "scoring/model.h"
#include "scoring/row_copies.h"
#include "scoring/row_label.h"

/* The hint at a query without rows. */
#define SELECT_ENDS_EMPTY "Run it alone: its WHERE or a join of it leaves no row."

#define HELD_BYTES_MAX ((size_t)1 << 30)

/* One of them; as long as rows come, a heap with the greatest hash first. */
struct held_row {
    uint64_t hash;
    uint32_t place;
};

struct held_rows {
    const struct model *model; /* borrowed */
    uint32_t rows_max, count, capacity;
    struct held_row *rows;    /* (capacity) */
    float *dense;             /* (capacity, dense_width): by place */
    int32_t *ids;             /* (capacity, id_count): by place */
    struct row_label *labels; /* (capacity): by place */
    struct row_copies copies;
};

void held_rows_init(struct held_rows *held, const struct model *model, uint32_t rows_max);
void held_rows_deinit(struct held_rows *held);

/* Row 0 of a scorer of the model, which is transformed and need not be scored. LIMIT where the rows
 * that are held take more than HELD_BYTES_MAX. */
enum status held_rows_add(struct held_rows *held, const struct scorer *scorer,
                          const struct row_label *label, struct error *err);
/* No more rows. INVALID without any. */
enum status held_rows_sort(struct held_rows *held, struct error *err);

/* Row i < count of those that are sorted. */
static inline const float *held_rows_dense(const struct held_rows *held, uint32_t i)
{
    return held->dense + (size_t)held->rows[i].place * held->model->transform.dense_width;
}

static inline const int32_t *held_rows_ids(const struct held_rows *held, uint32_t i)
{
    return held->ids + (size_t)held->rows[i].place * held->model->transform.id_count;
}

static inline const struct row_label *held_rows_label(const struct held_rows *held, uint32_t i)
{
    return &held->labels[held->rows[i].place];
}
