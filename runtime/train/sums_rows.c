#include "runtime/train/sums_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/sums/words.h"

static int64_t *sums_at(const struct sums *sums, uint32_t place)
{
    return sums->elements + sums->owned_count + sums->real_count +
           (size_t)place * sums->table.width;
}

static float *reals_at(const struct sums *sums, uint32_t place)
{
    return sums->reals + sums->real_count + (size_t)place * sums->table.width;
}

static size_t values_of(const struct sums *sums, const struct touched_rows *rows)
{
    return (size_t)rows->count * sums->table.width;
}

static bool is_in(struct share share, uint32_t row)
{
    return row >= share.first && row - share.first < share.count;
}

void sums_rows_clear(struct sums *sums)
{
    if (sums->touched.count > 0)
        memset(sums_at(sums, 0), 0, values_of(sums, &sums->touched) * sizeof(int64_t));
    touched_rows_clear(&sums->touched);
    touched_rows_clear(&sums->totals);
}

/* Makes room for as many rows as a message can have, and at least one. */
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
            sum += words_sum_long(sums_at(sums, i), sums->table.width);
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
    return sums->totals.count > 0 ? words_sum(reals_at(sums, 0), values_of(sums, &sums->totals))
                                  : 0;
}

/* How many rows from that place on are of the own share. */
static uint32_t own_from(const struct sums *sums, uint32_t place)
{
    uint32_t count = 0;

    while (place + count < sums->touched.count &&
           is_in(sums->own_rows, sums->touched.rows[place + count]))
        count++;
    return count;
}

const struct touched_rows *sums_rows_totals(const struct sums *sums)
{
    const struct touched_rows *rows = sums->members > 1 ? &sums->totals : &sums->touched;

    return sums->table.rows > 0 ? rows : NULL;
}

void sums_rows_resolve(struct sums *sums, sums_resolver *resolve, const void *context,
                       struct fixed_resolved *resolved)
{
    const uint32_t width = sums->table.width;
    uint32_t place = 0;

    while (place < sums->touched.count) {
        const bool is_alone = sums->members == 1;
        const uint32_t count = is_alone ? sums->touched.count : own_from(sums, place);
        const uint32_t to = sums->totals.count;
        struct fixed_resolved some;

        if (count == 0) {
            place++;
            continue;
        }
        some = resolve(context, sums_at(sums, place), sums->real_count + to * width, count * width,
                       reals_at(sums, to));
        resolved->sums += some.sums;
        resolved->values += some.values;
        for (uint32_t end = place + count; place < end; place++)
            if (!is_alone)
                touched_rows_add(&sums->totals, sums->touched.rows[place]);
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
    uint32_t rows = piece->listed->count;

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
        rows += !touched_rows_has(piece->listed, row);
    }
    if (rows > sums->table.touched_most)
        return fail(err, STATUS_PROTOCOL, "%u rows, expected %u at most", rows,
                    sums->table.touched_most);
    return STATUS_OK;
}

void sums_rows_add(struct sums *sums, struct slice rows, struct slice row_sums)
{
    const size_t size = sums->table.width * sizeof(int64_t);

    for (uint32_t i = 0; i < count_of(rows); i++) {
        const uint32_t row = row_in(rows, i);

        sums->elements_known +=
            sums_add_integers(sums_at(sums, touched_rows_add(&sums->touched, row)),
                              (struct slice){row_sums.data + i * size, size});
    }
}

void sums_rows_take(struct sums *sums, struct slice rows, struct slice row_totals)
{
    const size_t size = sums->table.width * sizeof(float);

    for (uint32_t i = 0; i < count_of(rows); i++) {
        const uint32_t row = row_in(rows, i);

        memcpy(reals_at(sums, touched_rows_add(&sums->totals, row)), row_totals.data + i * size,
               size);
    }
    sums->totals_known += words_sum(row_totals.data, row_totals.size / sizeof(float));
}

/* ---- for a message ---- */

struct slice sums_rows_listed(const struct touched_rows *rows, uint32_t first, uint32_t count)
{
    return (struct slice){(const char *)(rows->ascending + first), count * sizeof *rows->ascending};
}

struct slice sums_rows_gather_sums(const struct sums *sums, uint32_t first, uint32_t count)
{
    const size_t size = sums->table.width * sizeof(int64_t);

    for (uint32_t i = 0; i < count; i++)
        memcpy(
            (char *)sums->row_values + i * size,
            sums_at(sums, touched_rows_place(&sums->touched, sums->touched.ascending[first + i])),
            size);
    return (struct slice){sums->row_values, count * size};
}

struct slice sums_rows_gather_totals(const struct sums *sums, uint32_t first, uint32_t count)
{
    const size_t size = sums->table.width * sizeof(float);

    for (uint32_t i = 0; i < count; i++)
        memcpy((char *)sums->row_values + i * size,
               reals_at(sums, touched_rows_place(&sums->totals, sums->totals.ascending[first + i])),
               size);
    return (struct slice){sums->row_values, count * size};
}
