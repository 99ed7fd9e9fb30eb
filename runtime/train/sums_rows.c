#include "runtime/train/sums_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/words.h"

static int64_t *sums_of(const struct sums *sums, uint32_t row)
{
    return sums->elements + sums->owned_count + sums->real_count + (size_t)row * sums->table.width;
}

static size_t real_of(const struct sums *sums, uint32_t row)
{
    return sums->real_count + (size_t)row * sums->table.width;
}

static bool is_in(struct share share, uint32_t row)
{
    return row >= share.first && row - share.first < share.count;
}

void sums_rows_clear(struct sums *sums)
{
    for (uint32_t i = 0; i < sums->touched.count; i++)
        memset(sums_of(sums, sums->touched.rows[i]), 0, sums->table.width * sizeof(int64_t));
    touched_rows_clear(&sums->touched);
    touched_rows_clear(&sums->totals);
}

/* As many rows as a message has room for, and at least one. */
static enum status make_values(struct sums *sums, struct error *err)
{
    const size_t row = sums->table.width * sizeof(int64_t);
    const size_t bytes = row > sums->piece_bytes ? row : sums->piece_bytes;

    if (sums->row_values_bytes >= bytes)
        return STATUS_OK;
    free(sums->row_values);
    sums->row_values = malloc(bytes);
    sums->row_values_bytes = sums->row_values ? bytes : 0;
    return sums->row_values ? STATUS_OK : fail_no_memory(err);
}

enum status sums_rows_begin(struct sums *sums, const struct phase_table *table, struct error *err)
{
    sums->table = *table;
    sums->own_rows = sums_row_share(sums, sums->rank);
    if (table->rows == 0)
        return STATUS_OK;
    TRY(touched_rows_make(&sums->touched, table->rows, err));
    TRY(touched_rows_make(&sums->totals, table->rows, err));
    if (sums->members > 1)
        TRY(make_values(sums, err));
    return STATUS_OK;
}

static uint64_t sum_rows(const struct sums *sums, struct share rows, bool inside)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < sums->touched.count; i++)
        if (is_in(rows, sums->touched.rows[i]) == inside)
            sum += words_sum_long(sums_of(sums, sums->touched.rows[i]), sums->table.width);
    return sum;
}

uint64_t sums_rows_sum(const struct sums *sums, struct share rows)
{
    return sum_rows(sums, rows, true);
}

uint64_t sums_rows_sum_others(const struct sums *sums, struct share rows)
{
    return sum_rows(sums, rows, false);
}

uint32_t sums_rows_sum_totals(const struct sums *sums)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < sums->totals.count; i++)
        sum += words_sum(sums->reals + real_of(sums, sums->totals.rows[i]), sums->table.width);
    return sum;
}

void sums_rows_resolve(struct sums *sums, sums_resolver *resolve, const void *context,
                       struct fixed_resolved *resolved)
{
    const uint32_t width = sums->table.width;

    for (uint32_t i = 0; i < sums->touched.count; i++) {
        const uint32_t row = sums->touched.rows[i];
        const size_t at = real_of(sums, row);
        struct fixed_resolved some;

        if (!is_in(sums->own_rows, row))
            continue;
        some = resolve(context, sums_of(sums, row), (uint32_t)at, width, sums->reals + at);
        resolved->sums += some.sums;
        resolved->values += some.values;
        touched_rows_add(&sums->totals, row);
    }
}

/* ---- of a message ---- */

static uint32_t row_in(struct slice rows, uint32_t i)
{
    uint32_t row;

    memcpy(&row, rows.data + i * sizeof row, sizeof row);
    return row;
}

static uint32_t count_of(struct slice rows)
{
    return (uint32_t)(rows.size / sizeof(uint32_t));
}

enum status sums_rows_check(const struct sums *sums, struct sums_arrival *came,
                            const struct sums_rows_piece *piece, struct error *err)
{
    const uint32_t count = count_of(piece->rows);
    const uint64_t all = (uint64_t)count + piece->left;

    if (piece->values != (size_t)count * sums->table.width ||
        (came->has_begun ? all != came->rows_left : all > piece->share.count))
        return fail(err, STATUS_PROTOCOL,
                    "%u rows of %zu values, and %u left, expected rows of %u, and %u in all", count,
                    piece->values, piece->left, sums->table.width,
                    came->has_begun ? came->rows_left : piece->share.count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t row = row_in(piece->rows, i);

        if (row < came->row_next || !is_in(piece->share, row))
            return fail(err, STATUS_PROTOCOL, "row %u, expected one of %u+%u from %u on", row,
                        piece->share.first, piece->share.count, came->row_next);
        came->row_next = row + 1;
    }
    return STATUS_OK;
}

void sums_rows_add(struct sums *sums, struct slice rows, struct slice row_sums)
{
    const size_t size = sums->table.width * sizeof(int64_t);

    for (uint32_t i = 0; i < count_of(rows); i++) {
        const uint32_t row = row_in(rows, i);

        touched_rows_add(&sums->touched, row);
        sums->elements_known +=
            sums_add_integers(sums_of(sums, row), (struct slice){row_sums.data + i * size, size});
    }
}

void sums_rows_take(struct sums *sums, struct slice rows, struct slice row_totals)
{
    const size_t size = sums->table.width * sizeof(float);

    for (uint32_t i = 0; i < count_of(rows); i++) {
        const uint32_t row = row_in(rows, i);

        touched_rows_add(&sums->totals, row);
        memcpy(sums->reals + real_of(sums, row), row_totals.data + i * size, size);
    }
    sums->totals_known += words_sum(row_totals.data, row_totals.size / sizeof(float));
}

/* ---- for a message ---- */

struct slice sums_rows_listed(const struct touched_rows *rows, uint32_t first, uint32_t count)
{
    return (struct slice){(const char *)(rows->rows + first), count * sizeof *rows->rows};
}

struct slice sums_rows_gather_sums(const struct sums *sums, uint32_t first, uint32_t count)
{
    const size_t size = sums->table.width * sizeof(int64_t);

    for (uint32_t i = 0; i < count; i++)
        memcpy((char *)sums->row_values + i * size, sums_of(sums, sums->touched.rows[first + i]),
               size);
    return (struct slice){sums->row_values, count * size};
}

struct slice sums_rows_gather_totals(const struct sums *sums, uint32_t first, uint32_t count)
{
    const size_t size = sums->table.width * sizeof(float);

    for (uint32_t i = 0; i < count; i++)
        memcpy((char *)sums->row_values + i * size,
               sums->reals + real_of(sums, sums->totals.rows[first + i]), size);
    return (struct slice){sums->row_values, count * size};
}
