#include "runtime/ps/server/shard_counts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/reserve.h"

uint32_t shard_counts_of(const struct shard_counts *counts, uint64_t shard)
{
    return shard < counts->count ? counts->batches[shard] : 0;
}

/* Numbers of so many shards; those that are new are 0. */
static enum status reach(struct shard_counts *counts, uint32_t count, struct error *err)
{
    void *batches = counts->batches;

    if (count <= counts->count)
        return STATUS_OK;
    TRY(reserve_array(&batches, &counts->room, count, sizeof *counts->batches, err));
    counts->batches = batches;
    memset(counts->batches + counts->count, 0, (count - counts->count) * sizeof *counts->batches);
    counts->count = count;
    return STATUS_OK;
}

enum status shard_counts_add(struct shard_counts *counts, uint64_t shard, struct error *err)
{
    if (shard >= SHARDS_MAX)
        return fail(err, STATUS_LIMIT, "shard %" PRIu64 " of the rows, where a job has %u at most",
                    shard, SHARDS_MAX);
    TRY(reach(counts, (uint32_t)shard + 1, err));
    counts->batches[shard]++;
    return STATUS_OK;
}

struct slice shard_counts_bytes(const struct shard_counts *counts)
{
    return (struct slice){(const char *)counts->batches, counts->count * sizeof *counts->batches};
}

enum status shard_counts_read(struct shard_counts *counts, struct slice bytes, struct error *err)
{
    if (bytes.size % sizeof *counts->batches || bytes.size / sizeof *counts->batches > SHARDS_MAX)
        return fail(err, STATUS_CORRUPT, "%zu bytes are no counts of batches", bytes.size);
    counts->count = 0;
    TRY(reach(counts, (uint32_t)(bytes.size / sizeof *counts->batches), err));
    if (bytes.size)
        memcpy(counts->batches, bytes.data, bytes.size);
    return STATUS_OK;
}

void shard_counts_deinit(struct shard_counts *counts)
{
    free(counts->batches);
    *counts = (struct shard_counts){0};
}
