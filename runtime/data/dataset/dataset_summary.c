#include "runtime/data/dataset/dataset_summary.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/data/dataset/dataset_encode.h"
#include "runtime/data/spool/row_order.h"

/* ---- sample ---- */

struct sampling {
    uint8_t *is_first; /* (rows) */
    uint64_t *space;
    uint32_t *rows;          /* (sample) */
    struct row_hash *hashes; /* (sample): of these */
    uint32_t *order;         /* (sample): of these */
};

static void sampling_deinit(struct sampling *sampling)
{
    free(sampling->is_first);
    free(sampling->space);
    free(sampling->rows);
    free(sampling->hashes);
    free(sampling->order);
}

static enum status sampling_init(struct sampling *sampling, uint32_t rows, uint32_t count,
                                 struct error *err)
{
    *sampling = (struct sampling){
        .is_first = malloc(rows + 1ull),
        .space = malloc((row_order_space(rows) + 1) * sizeof *sampling->space),
        .rows = malloc((count + 1ull) * sizeof *sampling->rows),
        .hashes = malloc((count + 1ull) * sizeof *sampling->hashes),
        .order = malloc((count + 1ull) * sizeof *sampling->order),
    };
    if (sampling->is_first && sampling->space && sampling->rows && sampling->hashes &&
        sampling->order)
        return STATUS_OK;
    sampling_deinit(sampling);
    return fail_no_memory(err);
}

static enum task task_of(const struct dataset_part *part)
{
    return part->classes ? TASK_CLASSIFICATION : part->values ? TASK_REGRESSION : TASK_CLUSTERING;
}

static void copy_row(const struct dataset *dataset, const struct dataset_part *from, uint64_t row,
                     struct dataset_part *to, uint32_t place)
{
    const size_t width = dataset->transform.dense_width, ids = dataset->transform.id_count;

    memcpy(to->dense + place * width, from->dense + row * width, width * sizeof *to->dense);
    memcpy(to->ids + place * ids, from->ids + row * ids, ids * sizeof *to->ids);
    if (from->classes)
        to->classes[place] = from->classes[row];
    else if (from->values)
        to->values[place] = from->values[row];
    if (from->labels)
        to->labels[place] = from->labels[row];
    for (unsigned role = 0; role < ROW_ROLES; role++)
        if (from->roles[role])
            to->roles[role][place] = from->roles[role][row];
    to->hashes[place] = from->hashes[row];
}

enum status dataset_take_sample(struct dataset *dataset, struct team *team, struct error *err)
{
    const struct row_key key = {dataset->seed, RANDOM_SAMPLE, 0};
    const struct dataset_part *train = &dataset->train;
    const uint32_t rows = (uint32_t)train->rows;
    const uint32_t count = rows < SPOOL_SAMPLE_ROWS ? rows : SPOOL_SAMPLE_ROWS;
    struct sampling sampling;
    enum status status;
    uint32_t found = 0;

    TRY(sampling_init(&sampling, rows, count, err));
    row_order_mark(&key, train->hashes, rows, count, team, sampling.space, sampling.is_first);
    for (uint32_t row = 0; row < rows; row++)
        if (sampling.is_first[row]) {
            sampling.hashes[found] = train->hashes[row];
            sampling.rows[found++] = row;
        }
    row_order(&key, sampling.hashes, count, team, sampling.space, sampling.order);
    status = part_allocate(dataset, task_of(train), count, &dataset->sample, err);
    for (uint32_t i = 0; status == STATUS_OK && i < count; i++)
        copy_row(dataset, train, sampling.rows[sampling.order[i]], &dataset->sample, i);
    sampling_deinit(&sampling);
    return status;
}

/* ---- sum ---- */

static unsigned __int128 number_of(const struct row_hash *hash)
{
    return (unsigned __int128)hash->high << 64 | hash->low;
}

void dataset_sum_hashes(const struct dataset *dataset, struct dataset_part *part)
{
    const bool has_order = part == &dataset->train && !dataset->shuffle;
    unsigned __int128 sum = 0;

    for (uint64_t row = 0; row < part->rows; row++) {
        struct row_hash hash = part->hashes[row];

        if (has_order) {
            hash.low = random_bits(hash.low, RANDOM_POSITION, hash.high, row);
            hash.high = random_bits(hash.high, RANDOM_POSITION, part->hashes[row].low, row);
        }
        sum += number_of(&hash);
    }
    part->sum = (struct row_hash){.low = (uint64_t)sum, .high = (uint64_t)(sum >> 64)};
}
