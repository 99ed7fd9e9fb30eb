#include "runtime/ps/rows/row_snapshot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

/* ---- taking one ---- */

enum status row_snapshot_begin(struct row_table *table, uint32_t step, struct error *err)
{
    struct row_snapshot *snapshot = calloc(1, sizeof *snapshot);

    if (!snapshot)
        return fail_no_memory(err);
    snapshot->step = step;
    for (uint32_t b = 0; b < BUCKETS_PER_TABLE; b++)
        text_init(snapshot->saved + b, ROW_IMAGE_MAX);
    table->snapshot = snapshot;
    table->snapshots++;
    return STATUS_OK;
}

void row_snapshot_end(struct row_table *table)
{
    for (uint32_t b = 0; table->snapshot && b < BUCKETS_PER_TABLE; b++)
        text_deinit(table->snapshot->saved + b);
    free(table->snapshot);
    table->snapshot = NULL;
}

static bool is_there(const struct row_table *table, const struct row_entry *entry, uint32_t step)
{
    return entry->seen && !row_table_has_expired(table, entry, step);
}

static bool is_in_it(const struct row_table *table, const struct row_entry *entry)
{
    return is_there(table, entry, table->snapshot->step);
}

static void put_entry(const struct row_table *table, const struct row_bucket *bucket,
                      const struct row_entry *entry, struct text *out)
{
    const bool has_record = entry->place != ROW_NONE;

    put_u64(out, entry->id);
    put_u32(out, entry->step);
    put_u32(out, entry->seen);
    put_u8(out, has_record);
    if (has_record)
        text_append(out, (struct slice){(const char *)row_bucket_record(bucket, entry->place,
                                                                        table->record_floats),
                                        table->record_floats * sizeof(float)});
}

void row_snapshot_save(struct row_table *table, const struct row_bucket *bucket,
                       struct row_entry *entry)
{
    const size_t b = (size_t)(bucket - table->buckets);
    struct row_snapshot *snapshot = table->snapshot;

    if (!snapshot || !entry || snapshot->is_written[b] || entry->saved == table->snapshots)
        return;
    entry->saved = table->snapshots;
    if (!is_in_it(table, entry))
        return;
    put_entry(table, bucket, entry, snapshot->saved + b);
    snapshot->saved_count[b]++;
}

static void put_image_head(const struct row_table *table, uint32_t b, uint64_t count,
                           struct text *out)
{
    put_u32(out, table->options.number);
    put_u32(out, table->options.width);
    put_u32(out, table->slots);
    put_u32(out, b);
    put_u64(out, count);
}

void row_image_none(const struct row_table *table, uint32_t b, struct text *out)
{
    put_image_head(table, b, 0, out);
}

static bool was_pushed(const struct row_table *table, const struct row_entry *entry, uint32_t step,
                       uint64_t since)
{
    return is_there(table, entry, step) && entry->step > since;
}

enum status row_image_now(const struct row_table *table, uint32_t step, uint64_t since, uint32_t b,
                          struct text *out, struct error *err)
{
    const struct row_bucket *bucket = table->buckets + b;
    uint64_t count = 0;

    for (uint32_t i = 0; i < bucket->capacity; i++)
        count += was_pushed(table, bucket->entries + i, step, since);
    put_image_head(table, b, count, out);
    for (uint32_t i = 0; i < bucket->capacity; i++)
        if (was_pushed(table, bucket->entries + i, step, since))
            put_entry(table, bucket, bucket->entries + i, out);
    return out->failed ? fail_no_memory(err) : STATUS_OK;
}

enum status row_snapshot_image(struct row_table *table, uint32_t b, struct text *out,
                               struct error *err)
{
    struct row_snapshot *snapshot = table->snapshot;
    const struct row_bucket *bucket = table->buckets + b;
    uint64_t count = snapshot->saved_count[b];

    for (uint32_t i = 0; i < bucket->capacity; i++)
        count +=
            bucket->entries[i].saved != table->snapshots && is_in_it(table, bucket->entries + i);
    put_image_head(table, b, count, out);
    text_append(out, text_slice(snapshot->saved + b));
    for (uint32_t i = 0; i < bucket->capacity; i++)
        if (bucket->entries[i].saved != table->snapshots && is_in_it(table, bucket->entries + i))
            put_entry(table, bucket, bucket->entries + i, out);
    if (out->failed || snapshot->saved[b].failed)
        return fail_no_memory(err);
    snapshot->is_written[b] = true;
    text_deinit(snapshot->saved + b);
    text_init(snapshot->saved + b, ROW_IMAGE_MAX);
    return STATUS_OK;
}

/* ---- reading one ---- */

static enum status damaged(struct error *err)
{
    return fail(err, STATUS_CORRUPT, "stored rows of a parameter server are damaged");
}

static void take_record(struct row_table *table, struct row_bucket *bucket, struct row_entry *entry,
                        struct slice floats)
{
    float *record;

    if (!floats.size)
        return;
    record = row_bucket_make_record(bucket, entry, table->record_floats);
    memcpy(record, floats.data, floats.size);
}

/* Puts the image's entry in the place of the present one, which goes. */
static enum status take_entry(struct row_table *table, struct row_bucket *bucket,
                              const struct row_entry *from, struct slice floats, struct error *err)
{
    const uint64_t hash = row_hash(from->id);
    struct row_entry *entry = row_bucket_find(bucket, hash, from->id);

    if (entry) {
        table->counts.rows -= entry->place != ROW_NONE;
        table->counts.counted -= entry->place == ROW_NONE;
        row_bucket_remove(bucket, entry);
    }
    TRY(row_bucket_reserve(bucket, 1, floats.size > 0, table->record_floats, table->memory, err));
    entry = row_bucket_add(bucket, hash, from->id);
    entry->step = from->step;
    entry->seen = from->seen;
    entry->saved = table->snapshots;
    take_record(table, bucket, entry, floats);
    table->counts.rows += entry->place != ROW_NONE;
    table->counts.counted += entry->place == ROW_NONE;
    return STATUS_OK;
}

static bool are_finite(struct slice floats)
{
    for (size_t at = 0; at < floats.size; at += sizeof(float)) {
        float value;

        memcpy(&value, floats.data + at, sizeof value);
        if (!isfinite(value))
            return false;
    }
    return true;
}

enum status row_image_load(struct row_table *table, struct slice image, struct error *err)
{
    struct byte_reader reader = byte_reader_over(image);
    const uint32_t number = read_u32(&reader), width = read_u32(&reader);
    const uint32_t slots = read_u32(&reader), b = read_u32(&reader);
    const uint64_t count = read_u64(&reader);

    if (reader.failed || number != table->options.number || width != table->options.width ||
        slots != table->slots || b >= BUCKETS_PER_TABLE)
        return damaged(err);
    for (uint64_t i = 0; i < count; i++) {
        struct row_entry entry = {.id = read_u64(&reader)};
        struct slice floats = {NULL, 0};
        uint8_t has_record;

        entry.step = read_u32(&reader);
        entry.seen = read_u32(&reader);
        has_record = read_u8(&reader);
        if (has_record)
            floats = read_bytes(&reader, table->record_floats * sizeof(float));
        if (reader.failed || !entry.seen || has_record > 1 || !are_finite(floats) ||
            row_bucket_of(number, row_hash(entry.id)) != b)
            return damaged(err);
        TRY(take_entry(table, table->buckets + b, &entry, floats, err));
    }
    return reader_is_done(&reader) ? STATUS_OK : damaged(err);
}

void row_table_drop_bucket(struct row_table *table, uint32_t b)
{
    struct row_bucket *bucket = table->buckets + b;

    for (uint32_t i = 0; i < bucket->capacity; i++) {
        table->counts.rows -= bucket->entries[i].seen && bucket->entries[i].place != ROW_NONE;
        table->counts.counted -= bucket->entries[i].seen && bucket->entries[i].place == ROW_NONE;
    }
    row_bucket_clear(bucket, table->record_floats, table->memory);
}
