/*
 * row_bucket.h - where a parameter server keeps some rows of a table: an index from ids to records.
 *
 *     entries   id -> place, seen, step       open addressing, linear probing, at most 7/8 full
 *     chunks    place -> record               64 records each, which never move
 *     record    weights, slot 0, slot 1, ...  of `width` floats each
 *
 * A table is cut into BUCKETS_PER_TABLE buckets by a hash of the id and the table's number. A
 * bucket is what a server has or has not, what is written at once into a snapshot, and what moves
 * to another server. So an index grows by itself, without a pause of the whole table, and memory is
 * taken as rows come.
 *
 * An id may be counted before it has a record (row_table.h, min_count): its place is ROW_NONE.
 *
 * Memory is counted where it is taken (struct row_memory), so that a server keeps its limit exactly
 * but for what the allocator adds.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"

#define BUCKETS_PER_TABLE 1024
#define BUCKET_CHUNK_ROWS 64
#define ROW_NONE          UINT32_MAX /* a place */

/* Memory that all tables of a server share. */
struct row_memory {
    uint64_t used, limit; /* bytes */
    bool was_short;       /* there was less than somebody asked for */
};

struct row_entry {
    uint64_t id;
    uint32_t step;  /* in which it was pushed last */
    uint32_t seen;  /* rows of data that selected it, at most UINT32_MAX; 0: no entry */
    uint32_t place; /* place of its record, or ROW_NONE */
    uint32_t saved; /* the last snapshot that has it as it was when the snapshot began */
};

struct row_bucket {
    struct row_entry *entries; /* (capacity) */
    uint32_t capacity;         /* a power of two, or 0 */
    uint32_t count;            /* entries */
    float **chunks;            /* (chunk_count) */
    uint32_t chunk_count;
    uint32_t places; /* places ever taken; all below are records or free */
    uint32_t *free;  /* (chunk_count * BUCKET_CHUNK_ROWS): places of records that were removed */
    uint32_t free_count;
};

/* The hash whose upper bits choose the bucket and whose lower bits the entry. */
uint64_t row_hash(uint64_t id);

/* Rows of the same id, as are the first of all dense layers, of which each batch asks for all, are
 * in another bucket in each table, so that they are not all of one server. `table`: its number. */
static inline uint32_t row_bucket_of(uint32_t table, uint64_t hash)
{
    return (uint32_t)((hash >> 54) + 397 * (uint64_t)table) % BUCKETS_PER_TABLE; /* 397: odd */
}

/* All memory is given back; the bucket is empty and can be used again. */
void row_bucket_clear(struct row_bucket *bucket, uint32_t record_floats, struct row_memory *memory);

/* Room for so many more entries and records. LIMIT where the server's limit is in the way,
 * NO_MEMORY; the bucket holds what it held. */
enum status row_bucket_reserve(struct row_bucket *bucket, uint32_t more_entries,
                               uint32_t more_records, uint32_t record_floats,
                               struct row_memory *memory, struct error *err);

/* NULL where there is none. */
struct row_entry *row_bucket_find(const struct row_bucket *bucket, uint64_t hash, uint64_t id);
/* An id that is not there yet; there is room for it. It has no record, and the caller sets `seen`.
 */
struct row_entry *row_bucket_add(struct row_bucket *bucket, uint64_t hash, uint64_t id);
/* The entry gets a record, whose floats are not set; there is room for it. */
float *row_bucket_make_record(struct row_bucket *bucket, struct row_entry *entry,
                              uint32_t record_floats);
/* Other entries may move. */
void row_bucket_remove(struct row_bucket *bucket, struct row_entry *entry);

static inline float *row_bucket_record(const struct row_bucket *bucket, uint32_t place,
                                       uint32_t record_floats)
{
    return bucket->chunks[place / BUCKET_CHUNK_ROWS] +
           (size_t)(place % BUCKET_CHUNK_ROWS) * record_floats;
}

/* The memory that this lookup will read is fetched meanwhile. */
void row_bucket_prefetch(const struct row_bucket *bucket, uint64_t hash);
