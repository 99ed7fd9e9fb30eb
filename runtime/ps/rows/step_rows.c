#include "runtime/ps/rows/step_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/reserve.h"

enum status step_rows_reserve(struct step_rows *rows, uint64_t count, uint64_t floats,
                              struct error *err)
{
    void *ids = rows->ids, *seen = rows->seen, *values = rows->values;
    enum status status;

    if (count >= UINT32_MAX || floats >= UINT32_MAX)
        return fail(err, STATUS_LIMIT, "a step moves %" PRIu64 " numbers of a parameter server",
                    floats);
    status = reserve_array(&ids, &rows->ids_room, (uint32_t)count + 1, sizeof *rows->ids, err);
    rows->ids = ids;
    TRY(status);
    status = reserve_array(&seen, &rows->seen_room, (uint32_t)count + 1, sizeof *rows->seen, err);
    rows->seen = seen;
    TRY(status);
    status = reserve_array(&values, &rows->values_room, (uint32_t)floats + 1, sizeof(float), err);
    rows->values = values;
    return status;
}

void step_rows_free(struct step_rows *rows)
{
    free(rows->ids);
    free(rows->seen);
    free(rows->values);
    *rows = (struct step_rows){.rows = 0};
}

uint64_t step_rows_memory(const struct step_rows *rows)
{
    return rows->ids_room * sizeof *rows->ids + rows->seen_room * sizeof *rows->seen +
           rows->values_room * sizeof *rows->values;
}

void step_rows_copy(const struct step_rows *from, struct row_widths widths, const uint32_t *counts,
                    const uint64_t *ids, float *values, bool *has)
{
    const uint64_t *known = from->ids;
    const float *numbers = from->values;

    for (uint32_t t = 0; t < widths.tables; t++) {
        const uint32_t width = widths.of[t];

        for (uint32_t i = 0, k = 0; i < counts[t]; i++, values += width) {
            bool is_known;

            while (k < from->counts[t] && known[k] < ids[i])
                k++;
            is_known = k < from->counts[t] && known[k] == ids[i];
            if (is_known)
                memcpy(values, numbers + (size_t)k * width, width * sizeof *values);
            if (has)
                *has++ = is_known;
        }
        ids += counts[t];
        known += from->counts[t];
        numbers += (size_t)from->counts[t] * width;
    }
}

/* A list that is merged: what is left of a table. */
struct cursor {
    const uint64_t *id;
    const float *values;
    uint32_t left;
};

static void step_over(struct cursor *cursor, uint32_t width)
{
    cursor->id++;
    cursor->values += width;
    cursor->left--;
}

static uint32_t unite_table(struct cursor *one, struct cursor *other, uint32_t width, uint64_t *ids,
                            float *values)
{
    uint32_t count = 0;

    for (; one->left || other->left; count++, values += width) {
        struct cursor *next = !one->left || (other->left && *other->id < *one->id) ? other : one;

        ids[count] = *next->id;
        memcpy(values, next->values, width * sizeof *values);
        if (next == one && other->left && *other->id == *one->id)
            step_over(other, width);
        step_over(next, width);
    }
    return count;
}

enum status step_rows_unite(const struct step_rows *one, struct row_view other,
                            struct row_widths widths, struct step_rows *into, struct error *err)
{
    struct cursor first = {one->ids, one->values, 0}, second = {other.ids, other.values, 0};
    uint64_t rows = one->rows, floats = one->floats;

    for (uint32_t t = 0; t < widths.tables; t++) {
        rows += other.counts[t];
        floats += (uint64_t)other.counts[t] * widths.of[t];
    }
    TRY(step_rows_reserve(into, rows, floats, err));
    into->rows = 0;
    into->floats = 0;
    for (uint32_t t = 0; t < widths.tables; t++) {
        first.left = one->counts[t];
        second.left = other.counts[t];
        into->counts[t] = unite_table(&first, &second, widths.of[t], into->ids + into->rows,
                                      into->values + into->floats);
        into->rows += into->counts[t];
        into->floats += (uint64_t)into->counts[t] * widths.of[t];
    }
    return STATUS_OK;
}
