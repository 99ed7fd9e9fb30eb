/*
 * dataset_ranges.h - rows of ranges of keys, out of a spool that lies by key.
 *
 *     blocks of the part that reach into the range --> its rows, by key --> their places, encoded
 *
 * Where each range begins follows from the counts of the spool's index: ranges can be read
 * in any order, each by itself.
 */
#pragma once

#include "runtime/data/dataset/dataset_encode.h"

/* A part of the data set, as it lies in a spool. */
struct part_source {
    const struct spool *spool;
    enum spool_part part;
    bool has_plain_numbers;
    uint32_t *list_starts, *lists; /* the blocks that reach into each of 2^LIST_BITS ranges */
    uint64_t *starts;              /* (2^spool.ranges.bits + 1): the first row of each range */
};

/* NO_MEMORY. */
enum status part_source_init(struct part_source *source, const struct spool *spool,
                             enum spool_part part, const struct transform *transform,
                             struct error *err);
void part_source_deinit(struct part_source *source);
/* The ranges [*first, *end) that have the rows [first_row, end_row). INVALID: none have just
 * these. */
enum status part_source_find(const struct part_source *source, uint64_t first_row, uint64_t end_row,
                             uint32_t *first, uint32_t *end, struct error *err);

/* Rows of the ranges [first, end) will be loaded soon. */
void part_source_expect(const struct part_source *source, uint32_t first, uint32_t end);

/* Memory of one member of the team, in which it loads. */
struct range_loader;
enum status range_loader_new(const struct dataset *dataset, const struct spool *spool,
                             struct range_loader **loader, struct error *err);
void range_loader_free(struct range_loader *loader);

/* The rows of the ranges [first, end) to their places in the part. CORRUPT where the spool holds
 * other rows than its index says, LIMIT where they are more than 2^32 - 1. */
enum status range_load(struct range_loader *loader, const struct dataset *dataset,
                       const struct part_source *source, const struct class_index *index,
                       uint32_t first, uint32_t end, struct dataset_part *part, struct error *err);

/* Rows of one block, which is needed (spool_need_blocks), to their places. */
enum status range_load_block(struct range_loader *loader, const struct dataset *dataset,
                             const struct part_source *source, const struct class_index *index,
                             uint32_t block, const struct placed_rows *rows,
                             struct dataset_part *part, struct error *err);
