#include "scoring/held_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/sums/hash.h"

#define HELD_SEED 0x696d706f7274616eu

void held_rows_init(struct held_rows *held, const struct model *model, uint32_t rows_max)
{
    *held = (struct held_rows){.model = model, .rows_max = rows_max};
}

void held_rows_deinit(struct held_rows *held)
{
    free(held->rows);
    free(held->dense);
    free(held->ids);
    free(held->labels);
    row_copies_deinit(&held->copies);
    *held = (struct held_rows){0};
}

static bool grow(void *array, size_t count, size_t size)
{
    void **memory = array;
    void *more = realloc(*memory, count * size + 1);

    if (more)
        *memory = more;
    return more != NULL;
}

static enum status make_room(struct held_rows *held, struct error *err)
{
    const struct transform *transform = &held->model->transform;
    const size_t dense = transform->dense_width * sizeof *held->dense;
    const size_t ids = transform->id_count * sizeof *held->ids;
    const size_t bytes = sizeof *held->rows + dense + ids + sizeof *held->labels;
    size_t capacity = held->capacity ? 2 * (size_t)held->capacity : 256;

    if (capacity > held->rows_max)
        capacity = held->rows_max;
    if (capacity * bytes > HELD_BYTES_MAX)
        return fail(err, STATUS_LIMIT,
                    "%zu rows of %zu bytes take more than the %zu MiB that "
                    "there are for rows to explain a model with",
                    capacity, bytes, HELD_BYTES_MAX >> 20),
               error_hint(err, "Set explain.rows to fewer.");
    if (!grow(&held->rows, capacity, sizeof *held->rows) || !grow(&held->dense, capacity, dense) ||
        !grow(&held->ids, capacity, ids) || !grow(&held->labels, capacity, sizeof *held->labels))
        return fail_no_memory(err);
    held->capacity = (uint32_t)capacity;
    return STATUS_OK;
}

static void swap_rows(struct held_row *a, struct held_row *b)
{
    const struct held_row row = *a;

    *a = *b;
    *b = row;
}

static void sift_up(struct held_row *rows, uint32_t i)
{
    for (; i > 0 && rows[(i - 1) / 2].hash < rows[i].hash; i = (i - 1) / 2)
        swap_rows(&rows[(i - 1) / 2], &rows[i]);
}

static void sift_down(struct held_row *rows, uint32_t count)
{
    for (uint32_t i = 0, child = 1; child < count; i = child, child = 2 * i + 1) {
        if (child + 1 < count && rows[child + 1].hash > rows[child].hash)
            child++;
        if (rows[child].hash <= rows[i].hash)
            break;
        swap_rows(&rows[child], &rows[i]);
    }
}

/* By inputs and label alone. */
static uint64_t hash_row(const struct held_rows *held, const struct scorer *scorer,
                         const struct row_label *label)
{
    const struct transform *transform = &held->model->transform;
    uint64_t parts[3] = {0};

    parts[0] = bytes_hash(scorer->dense, transform->dense_width * sizeof(float), HELD_SEED);
    parts[1] = bytes_hash(scorer->ids, transform->id_count * sizeof(int32_t), HELD_SEED);
    if (task_has_label(held->model->task))
        memcpy(&parts[2], label, sizeof parts[2]);
    return bytes_hash(parts, sizeof parts, HELD_SEED);
}

/* By how many rows like it came before, too. */
static enum status hash_copy(struct held_rows *held, const struct scorer *scorer,
                             const struct row_label *label, uint64_t *hash, struct error *err)
{
    uint64_t parts[2] = {hash_row(held, scorer, label)};

    TRY(row_copies_add(&held->copies, parts[0], &parts[1], err));
    *hash = parts[1] == 0 ? parts[0] : bytes_hash(parts, sizeof parts, HELD_SEED);
    return STATUS_OK;
}

static void keep_row(struct held_rows *held, uint32_t place, const struct scorer *scorer,
                     const struct row_label *label)
{
    const struct transform *transform = &held->model->transform;

    memcpy(held->dense + (size_t)place * transform->dense_width, scorer->dense,
           transform->dense_width * sizeof(float));
    memcpy(held->ids + (size_t)place * transform->id_count, scorer->ids,
           transform->id_count * sizeof(int32_t));
    held->labels[place] = *label;
}

enum status held_rows_add(struct held_rows *held, const struct scorer *scorer,
                          const struct row_label *label, struct error *err)
{
    uint64_t hash;

    TRY(hash_copy(held, scorer, label, &hash, err));
    if (held->count == held->rows_max) {
        if (hash >= held->rows[0].hash)
            return STATUS_OK;
        held->rows[0].hash = hash;
        keep_row(held, held->rows[0].place, scorer, label);
        sift_down(held->rows, held->count);
        return STATUS_OK;
    }
    if (held->count == held->capacity)
        TRY(make_room(held, err));
    held->rows[held->count] = (struct held_row){hash, held->count};
    keep_row(held, held->count, scorer, label);
    sift_up(held->rows, held->count++);
    return STATUS_OK;
}

static int compare_held(const void *a, const void *b)
{
    const struct held_row *x = a, *y = b;

    return (x->hash > y->hash) - (x->hash < y->hash);
}

enum status held_rows_sort(struct held_rows *held, struct error *err)
{
    if (held->count == 0) {
        fail(err, STATUS_INVALID, "the query returns no rows to explain the model with");
        return error_hint(err, SELECT_ENDS_EMPTY);
    }
    qsort(held->rows, held->count, sizeof *held->rows, compare_held);
    return STATUS_OK;
}
