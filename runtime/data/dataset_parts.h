/*
 * dataset_parts.h - the steps of dataset_open, shared by its files.
 *
 *     spool --check--> rows held out --learn--> transform, labels --encode--> parts
 */
#ifndef RUNTIME_DATA_DATASET_PARTS_H
#define RUNTIME_DATA_DATASET_PARTS_H

#include "runtime/data/dataset.h"
#include "runtime/data/word_table.h"

#define ARENA_BYTES_MAX ((size_t)8 << 30) /* vocabularies and views of the largest spools */

/* Finds a label's class: that of the table's entry i is classes[i]. Borrows
 * from the training spool, so that one must stay open as long. */
#define FEW_CLASSES 8
struct class_index {
    struct word_table table;
    uint32_t *classes;        /* (table.count), in the data set's arena */
    int64_t few[FEW_CLASSES]; /* the bits of up to so many numbers, which are faster compared */
};

/* Which rows of a spool go where, and under which hash. */
struct split {
    uint32_t held_out;
    uint8_t *is_training;    /* (rows); NULL: all */
    uint32_t *places;        /* (rows): the row's number within its part */
    struct row_hash *hashes; /* (rows): of the row and how many equal ones came before it */
};

/* dataset_encode.c: of tasks that wrote an error each, the first failure: the first block that
 * failed has the first row that is to be named. */
enum status first_failure(const struct error *errors, uint32_t count, struct error *err);

/* dataset_check.c: what no model can be trained on, named with column and
 * count. `what` is the words for an empty result ("the SELECT"). */
enum status dataset_check(const struct spool *spool, const struct jobspec *spec, const char *what,
                          struct error *err);

/* dataset_learn.c: from the rows that `is_used` marks (NULL: all). */
enum status learn_transform(const struct spool *spool, const struct jobspec *spec,
                            const uint8_t *is_used, struct team *team, struct dataset *dataset,
                            struct error *err);

/* dataset_labels.c */
enum status learn_labels(const struct spool *spool, const struct jobspec *spec,
                         const uint8_t *is_used, struct team *team, struct dataset *dataset,
                         struct class_index *index, struct error *err);
/* -1 for one that is not known */
int32_t class_of(const struct class_index *index, const struct spool_column_view *column,
                 uint32_t row);
void class_index_deinit(struct class_index *index);

/* dataset_encode.c: every row of the spool into the part and place that are
 * written for it. */
enum status encode_rows(const struct spool *spool, const struct dataset *dataset,
                        const struct class_index *index, const struct split *split,
                        struct team *team, struct dataset_part *train,
                        struct dataset_part *validation, struct error *err);
/* is_dense: its dense inputs are encoded now, else where they are taken. */
enum status part_allocate(const struct dataset *dataset, enum task task, uint64_t rows,
                          bool is_dense, struct dataset_part *part, struct error *err);
/* Whether the dense inputs of a row are its first numbers, in their order. */
bool has_plain_numbers(const struct spool *spool, const struct transform *transform);
void part_free(struct dataset_part *part);

#endif
