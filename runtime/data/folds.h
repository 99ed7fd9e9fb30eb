/*
 * folds.h - the rows of a spool dealt into folds, for cross-validation.
 *
 *     train.spool --folds_open--> the fold of each row --folds_put(k)--> rows of all other folds
 *     (by key, none held out)                                        \-> rows of fold k
 *
 * Each row belongs to one fold. Which one is a function of the set of rows, the seed and the number
 * of folds alone:
 *
 *     classes   rows in the order of their class, and within it of a random key, go to the folds in
 *               turn: of each class, as of all rows, folds differ by one row at most
 *     groups    rows of a group stay together: groups, the largest first and equal ones by a random
 *               key, go to the fold that has the fewest rows so far
 *     else      rows in the order of a random key go to the folds in turn
 *
 * What folds_put writes are the cells, as a SELECT of these rows would: a spool of a fold has the
 * bits of one that was read from a table of the same rows.
 */
#pragma once

#include "base/error.h"
#include "runtime/data/spool/spool_writer.h"

#define FOLDS_MAX 20

struct fold_rule {
    uint32_t folds; /* 2 to FOLDS_MAX */
    uint64_t seed;
    bool by_class;         /* each class is dealt by itself */
    uint32_t class_column; /* column of the spool */
    bool by_group;         /* the upper half of each row's hash is its group's (held_out.h) */
};

struct folds;

/* INVALID where there are fewer rows, or groups, than folds. LIMIT for more than 2^32 rows. Takes
 * 32 bytes of memory a row while it deals, and one after that. */
enum status folds_open(const char *path, const struct fold_rule *rule, struct folds **folds,
                       struct error *err);
void folds_close(struct folds *folds); /* NULL: nothing */
uint64_t folds_rows(const struct folds *folds, uint32_t fold);
uint32_t folds_columns(const struct folds *folds);
enum spool_type folds_column_type(const struct folds *folds, uint32_t column);

/* The rows of all other folds into one writer and those of this one into the other, both of the
 * spool's columns. INTERRUPTED when is_stopped, which is asked for each block, says so. */
struct fold_writers {
    struct spool_writer *others, *fold;
    bool (*is_stopped)(void *context);
    void *context;
};
enum status folds_put(const struct folds *folds, uint32_t fold, const struct fold_writers *writers,
                      struct error *err);
