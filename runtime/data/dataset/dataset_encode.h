/*
 * dataset_encode.h - rows of a spool as inputs and targets, by all threads.
 */
#pragma once

#include "runtime/data/dataset/dataset_labels.h"
#include "runtime/data/dataset/row_split.h"

struct team;

/* Gives the first failure of tasks that wrote an error each: the first block that failed has the
 * first row that is to be named. */
enum status first_failure(const struct error *errors, uint32_t count, struct error *err);

/* Every row of the spool into the part and place that are
 * written for it. */
enum status encode_rows(const struct spool *spool, const struct dataset *dataset,
                        const struct class_index *index, const struct split *split,
                        struct team *team, struct dataset_part *train,
                        struct dataset_part *validation, struct error *err);

/* Where a member of the team encodes a run of rows of one block before they go to their places. */
struct chunk_encoder {
    float *dense; /* (rows of a run, dense_width) */
    int32_t *ids; /* (rows of a run, id_count) */
};
bool encoder_init(struct chunk_encoder *encoder, const struct transform *transform);
void encoder_deinit(struct chunk_encoder *encoder);

/* Rows of one block, and where they go in their part. */
struct placed_rows {
    uint64_t start;                /* row of their part from which places count */
    const uint32_t *rows, *places; /* (count) */
    uint32_t count, stride;        /* numbers of a row of the spool */
};
enum status encode_placed(const struct dataset *dataset, bool has_plain_numbers,
                          const struct class_index *index, struct chunk_encoder *encoder,
                          const struct spool_block *block, const struct placed_rows *rows,
                          struct dataset_part *part, struct error *err);

/* Room for the rows, which takes memory where it is written. LIMIT where it has no size, NO_MEMORY
 * where the process has no addresses for it. */
enum status part_allocate(const struct dataset *dataset, enum task task, uint64_t rows,
                          struct dataset_part *part, struct error *err);
/* Whether the dense inputs of a row are its first numbers, in their order. */
bool has_plain_numbers(const struct spool *spool, const struct transform *transform);
void part_free(struct dataset_part *part);
