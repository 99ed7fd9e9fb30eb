#include "runtime/ps/rows/row_bucket.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory_size.h"

#define CAPACITY_LEAST 16

/* The finalizer of MurmurHash3: each bit of the id changes half of the bits of the hash. */
uint64_t row_hash(uint64_t id)
{
    id ^= id >> 33;
    id *= 0xff51afd7ed558ccdu;
    id ^= id >> 33;
    id *= 0xc4ceb9fe1a85ec53u;
    return id ^ id >> 33;
}

/* ---- memory ---- */

static size_t chunk_bytes(uint32_t record_floats)
{
    return (size_t)BUCKET_CHUNK_ROWS * record_floats * sizeof(float);
}

/* Bytes of a chunk beside its records: the pointer to it, and places in the list of free ones. */
static size_t chunk_list_bytes(void)
{
    return sizeof(float *) + BUCKET_CHUNK_ROWS * sizeof(uint32_t);
}

static enum status take_memory(struct row_memory *memory, uint64_t bytes, struct error *err)
{
    struct text size;
    enum status status;

    if (bytes <= memory->limit && memory->used <= memory->limit - bytes) {
        memory->used += bytes;
        return STATUS_OK;
    }
    memory->was_short = true;
    text_init(&size, 64);
    memory_size_append(&size, memory->limit);
    status =
        fail(err, STATUS_LIMIT, "the rows of a parameter server need more than its %s of memory",
             text_string(&size));
    text_deinit(&size);
    return status;
}

void row_bucket_clear(struct row_bucket *bucket, uint32_t record_floats, struct row_memory *memory)
{
    for (uint32_t c = 0; c < bucket->chunk_count; c++)
        free(bucket->chunks[c]);
    memory->used -= (uint64_t)bucket->capacity * sizeof *bucket->entries;
    memory->used -= bucket->chunk_count * (chunk_bytes(record_floats) + chunk_list_bytes());
    free(bucket->chunks);
    free(bucket->free);
    free(bucket->entries);
    *bucket = (struct row_bucket){.count = 0};
}

/* ---- the index ---- */

static bool is_full(uint64_t count, uint32_t capacity)
{
    return count * 8 > (uint64_t)capacity * 7;
}

/* The entry with the id, or the free one where it would be. */
static struct row_entry *probe(const struct row_bucket *bucket, uint64_t hash, uint64_t id)
{
    const uint32_t mask = bucket->capacity - 1;
    uint32_t at = (uint32_t)hash & mask;

    while (bucket->entries[at].seen && bucket->entries[at].id != id)
        at = (at + 1) & mask;
    return bucket->entries + at;
}

void row_bucket_prefetch(const struct row_bucket *bucket, uint64_t hash)
{
    if (bucket->capacity)
        __builtin_prefetch(bucket->entries + ((uint32_t)hash & (bucket->capacity - 1)));
}

struct row_entry *row_bucket_find(const struct row_bucket *bucket, uint64_t hash, uint64_t id)
{
    struct row_entry *entry;

    if (!bucket->capacity)
        return NULL;
    entry = probe(bucket, hash, id);
    return entry->seen ? entry : NULL;
}

struct row_entry *row_bucket_add(struct row_bucket *bucket, uint64_t hash, uint64_t id)
{
    struct row_entry *entry = probe(bucket, hash, id);

    *entry = (struct row_entry){.id = id, .place = ROW_NONE};
    bucket->count++;
    return entry;
}

static enum status grow_index(struct row_bucket *bucket, uint64_t count, struct row_memory *memory,
                              struct error *err)
{
    struct row_bucket grown = {.capacity = bucket->capacity ? bucket->capacity : CAPACITY_LEAST};
    const uint64_t old_bytes = (uint64_t)bucket->capacity * sizeof *bucket->entries;

    while (is_full(count, grown.capacity)) {
        if (grown.capacity > UINT32_MAX / 4)
            return fail(err, STATUS_LIMIT,
                        "a parameter server holds %" PRIu64 " rows in one bucket", count);
        grown.capacity *= 2;
    }
    /* Both are there while one is copied. */
    TRY(take_memory(memory, (uint64_t)grown.capacity * sizeof *grown.entries, err));
    grown.entries = calloc(grown.capacity, sizeof *grown.entries);
    if (!grown.entries) {
        memory->used -= (uint64_t)grown.capacity * sizeof *grown.entries;
        return fail_no_memory(err);
    }
    for (uint32_t i = 0; i < bucket->capacity; i++)
        if (bucket->entries[i].seen)
            *probe(&grown, row_hash(bucket->entries[i].id), bucket->entries[i].id) =
                bucket->entries[i];
    free(bucket->entries);
    memory->used -= old_bytes;
    bucket->entries = grown.entries;
    bucket->capacity = grown.capacity;
    return STATUS_OK;
}

/* ---- records ---- */

/* One chunk more; the lists grow with it. */
static enum status add_chunk(struct row_bucket *bucket, uint32_t record_floats,
                             struct row_memory *memory, struct error *err)
{
    const size_t count = bucket->chunk_count + (size_t)1;
    const size_t bytes = chunk_bytes(record_floats) + chunk_list_bytes();
    float **chunks;
    uint32_t *free_places;

    TRY(take_memory(memory, bytes, err));
    chunks = realloc(bucket->chunks, count * sizeof *chunks);
    if (chunks)
        bucket->chunks = chunks;
    free_places = realloc(bucket->free, count * BUCKET_CHUNK_ROWS * sizeof *free_places);
    if (free_places)
        bucket->free = free_places;
    if (chunks && free_places)
        chunks[bucket->chunk_count] = malloc(chunk_bytes(record_floats));
    if (!chunks || !free_places || !chunks[bucket->chunk_count]) {
        memory->used -= bytes;
        return fail_no_memory(err);
    }
    bucket->chunk_count++;
    return STATUS_OK;
}

enum status row_bucket_reserve(struct row_bucket *bucket, uint32_t more_entries,
                               uint32_t more_records, uint32_t record_floats,
                               struct row_memory *memory, struct error *err)
{
    const uint64_t entries = (uint64_t)bucket->count + more_entries;
    const uint64_t records = (uint64_t)bucket->places - bucket->free_count + more_records;

    if (is_full(entries, bucket->capacity))
        TRY(grow_index(bucket, entries, memory, err));
    while ((uint64_t)bucket->chunk_count * BUCKET_CHUNK_ROWS < records)
        TRY(add_chunk(bucket, record_floats, memory, err));
    return STATUS_OK;
}

float *row_bucket_make_record(struct row_bucket *bucket, struct row_entry *entry,
                              uint32_t record_floats)
{
    entry->place = bucket->free_count ? bucket->free[--bucket->free_count] : bucket->places++;
    return row_bucket_record(bucket, entry->place, record_floats);
}

/* Entries behind it that were pushed on by it move up, so that none is behind a gap. */
void row_bucket_remove(struct row_bucket *bucket, struct row_entry *entry)
{
    const uint32_t mask = bucket->capacity - 1;
    uint32_t gap = (uint32_t)(entry - bucket->entries), at = gap;

    if (entry->place != ROW_NONE)
        bucket->free[bucket->free_count++] = entry->place;
    for (;;) {
        uint32_t home;

        at = (at + 1) & mask;
        if (!bucket->entries[at].seen)
            break;
        home = (uint32_t)row_hash(bucket->entries[at].id) & mask;
        if (((at - home) & mask) >= ((at - gap) & mask)) {
            bucket->entries[gap] = bucket->entries[at];
            gap = at;
        }
    }
    bucket->entries[gap].seen = 0;
    bucket->count--;
}
