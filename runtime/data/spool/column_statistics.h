/*
 * column_statistics.h - what a job learns about its columns before the first step.
 *
 *     writer 0   blocks --add--> statistics ----------------------------.
 *     writer 1   blocks --add--> statistics --put--> bytes --read--> statistics --finish--> learned
 *                       rows that are held out --subtract---------------'
 *
 * A numeric input, and the label of a regression, has exact sums (exact_sum.h); a category, and the
 * label of a classification, has each word and how often it is there; each column has the count of
 * its NULLs, and a text has nothing else. All of it is counted exactly and can be taken out again,
 * also from other statistics than it was added to as long as these are merged before the end. So
 * neither the order of rows, nor who read them, nor how parts were merged changes a byte of what is
 * put or learned (column_statistics_bytes.h, column_statistics_finish.h).
 *
 * After a call that failed the statistics are not those of any rows, and can only be freed. Not
 * for several threads at once: each writer has its own.
 */
#pragma once

#include "jobspec/jobspec.h"
#include "runtime/data/spool/spool.h"

struct column_statistics;

/* Makes statistics of no rows. The spec is borrowed. word_bytes_max: memory of the different words
 * of all columns, and of counting them. */
enum status column_statistics_new(const struct jobspec *spec, size_t word_bytes_max,
                                  struct column_statistics **statistics, struct error *err);
void column_statistics_free(struct column_statistics *statistics);

/* Rows [first, first + rows) of a block with the columns of the spec, its inputs and the label;
 * of these the ones that is_used (rows) marks (NULL: all). NULL cells of numbers hold 0, as spool.h
 * says. LIMIT, naming the column, where the words take more than word_bytes_max. INVALID for a
 * column of another type than the spec's. */
enum status column_statistics_add(struct column_statistics *statistics,
                                  const struct spool_column_view *columns, uint32_t first,
                                  uint32_t rows, const uint8_t *is_used, struct error *err);
enum status column_statistics_subtract(struct column_statistics *statistics,
                                       const struct spool_column_view *columns, uint32_t first,
                                       uint32_t rows, const uint8_t *is_used, struct error *err);
/* Adds those of another writer of the same job. */
enum status column_statistics_merge(struct column_statistics *statistics,
                                    const struct column_statistics *other, struct error *err);

/* Were no rows added or taken out? Then others take their place, which is faster than a merge. */
bool column_statistics_is_fresh(const struct column_statistics *statistics);

uint64_t column_statistics_rows(const struct column_statistics *statistics);
