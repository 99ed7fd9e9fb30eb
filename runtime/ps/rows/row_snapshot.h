/*
 * row_snapshot.h - the rows of a table as they are at one moment, written while the table goes on.
 *
 *     begin --> image of bucket 3, of bucket 0, ... --> end
 *
 * When a row is about to change whose bucket was not written yet, it is saved first, as it was
 * (row_snapshot_save). So a snapshot costs a copy of the rows that are pushed while it is taken,
 * and stops nobody. It has all rows, or only those that were pushed after a step: with the snapshot
 * of that step, and those between, that is all of them.
 *
 * An image of a bucket is what goes to a store, and to another server that gets the bucket:
 *
 *     u32 number of the table, width, slots, bucket | u64 entries
 *     each entry: u64 id, u32 step, u32 seen, u8 has a record, the record's floats
 *
 * What has expired is not in it.
 */
#pragma once

#include "runtime/ps/rows/row_table.h"

#define ROW_IMAGE_MAX ((size_t)1 << 31) /* bytes */

struct row_snapshot {
    uint32_t step; /* in which it began */
    bool is_written[BUCKETS_PER_TABLE];
    struct text saved[BUCKETS_PER_TABLE]; /* entries of an image */
    uint64_t saved_count[BUCKETS_PER_TABLE];
};

/* The table is taking none. */
enum status row_snapshot_begin(struct row_table *table, uint32_t step, struct error *err);
/* Appends the image of a bucket that was not written yet. NO_MEMORY, LIMIT. */
enum status row_snapshot_image(struct row_table *table, uint32_t bucket, struct text *out,
                               struct error *err);
void row_snapshot_end(struct row_table *table); /* fine where there is none */

/* Before the entry (NULL: it is not there) changes: called by row_table_push alone. */
void row_snapshot_save(struct row_table *table, const struct row_bucket *bucket,
                       struct row_entry *entry);

/* Appends the image of a bucket as it is in this step, whatever snapshot is taken: of the entries
 * that were pushed later than `since`. NO_MEMORY. */
enum status row_image_now(const struct row_table *table, uint32_t step, uint64_t since,
                          uint32_t bucket, struct text *out, struct error *err);
/* The image of a bucket without rows. */
void row_image_none(const struct row_table *table, uint32_t bucket, struct text *out);

/* Takes the entries of an image in, each in place of what the table has of its id. CORRUPT for
 * bytes that are no image of this table, and LIMIT, NO_MEMORY: some of them may be in. */
enum status row_image_load(struct row_table *table, struct slice image, struct error *err);

/* The bucket is empty, as it is elsewhere now. No snapshot is being taken. */
void row_table_drop_bucket(struct row_table *table, uint32_t bucket);
