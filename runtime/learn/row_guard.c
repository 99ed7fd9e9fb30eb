#include "runtime/learn/row_guard.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/progress.h"

#define CHUNK_BYTES ((size_t)1 << 20)

enum status memory_damaged(struct error *err, const char *what)
{
    fail(err, STATUS_CORRUPT, "%s of this worker changed in memory by themselves", what);
    return error_hint(err, "A bit of this machine's memory was inverted: look at its hardware.");
}

struct region {
    const void *bytes;
    size_t size;
};

#define PART_REGIONS 5
#define REGIONS      (2 * PART_REGIONS)

static struct region region_of(const void *bytes, size_t size)
{
    return (struct region){bytes, bytes ? size : 0};
}

static void list_part(const struct dataset *dataset, const struct dataset_part *part,
                      struct region regions[PART_REGIONS])
{
    const size_t rows = part->rows;

    regions[0] = region_of(part->dense, rows * dataset->transform.dense_width * sizeof(float));
    regions[1] = region_of(part->cells, rows * sizeof(uint32_t));
    regions[2] = region_of(part->ids, rows * dataset->transform.id_count * sizeof(int32_t));
    regions[3] =
        region_of(part->values ? (const void *)part->values : part->classes, rows * sizeof(float));
    regions[4] = region_of(part->hashes, rows * sizeof(struct row_hash));
}

static uint64_t count_chunks(struct region region)
{
    return (region.size + CHUNK_BYTES - 1) / CHUNK_BYTES;
}

static void list_rows(const struct dataset *dataset, struct region regions[REGIONS])
{
    list_part(dataset, &dataset->train, regions);
    list_part(dataset, &dataset->validation, regions + PART_REGIONS);
}

static uint64_t hash_chunk(const struct dataset *dataset, uint64_t number)
{
    struct region regions[REGIONS];
    uint64_t at = number;

    list_rows(dataset, regions);
    for (int i = 0; i < REGIONS; at -= count_chunks(regions[i++])) {
        size_t left;

        if (at >= count_chunks(regions[i]))
            continue;
        left = regions[i].size - at * CHUNK_BYTES;
        return hash_bytes((const char *)regions[i].bytes + at * CHUNK_BYTES,
                          left < CHUNK_BYTES ? left : CHUNK_BYTES, number);
    }
    return 0;
}

static void note_chunk(void *context, uint32_t member, uint32_t number)
{
    struct row_guard *guard = context;
    (void)member;

    guard->chunks[number] = hash_chunk(guard->dataset, number);
}

enum status row_guard_init(struct row_guard *guard, const struct dataset *dataset,
                           struct team *team, struct error *err)
{
    struct region regions[REGIONS];

    *guard = (struct row_guard){.dataset = dataset};
    list_rows(dataset, regions);
    for (int i = 0; i < REGIONS; i++)
        guard->chunk_count += count_chunks(regions[i]);
    guard->chunks = calloc(guard->chunk_count + 1, sizeof *guard->chunks);
    if (!guard->chunks)
        return fail_no_memory(err);
    team_run(team, (uint32_t)guard->chunk_count, note_chunk, guard);
    return STATUS_OK;
}

void row_guard_deinit(struct row_guard *guard)
{
    free(guard->chunks);
    *guard = (struct row_guard){.chunks = NULL};
}

enum status row_guard_verify(const struct row_guard *guard, uint64_t *position, uint64_t most,
                             struct error *err)
{
    for (uint64_t i = 0; i < most && *position < guard->chunk_count; i++, ++*position) {
        progress_note();
        if (hash_chunk(guard->dataset, *position) != guard->chunks[*position])
            return memory_damaged(err, "rows");
    }
    if (*position >= guard->chunk_count)
        *position = 0;
    return STATUS_OK;
}
