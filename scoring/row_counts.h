/*
 * row_counts.h - metrics of rows of which each counts several times, by sums over the rows instead
 * of row by row: a resample of the bootstrap in about the time that drawing it takes.
 *
 *     row_counts_new --> row_counts_put for each row --> row_counts_measure for each list of times
 *
 * Counts of classes and pairs are exact; sums of losses are added up in an order of their own, so
 * that their last bits may differ from metrics.h's, yet are the same on any processor. Metrics of
 * rankings, of events, and those that rank more than two classes are no such sums.
 */
#pragma once

#include "params/terms.h"
#include "scoring/metrics.h"

/* Are all of the measures sums over the rows? options: the evaluation's. */
bool row_counts_have(const struct model *model, const struct metrics_options *options,
                     const struct measure *measures, size_t count);

struct row_counts;
/* rows: of which there is room; some 8 bytes of each for each sum, and as many where scores are
 * ranked. Model, options and measures (count), which row_counts_have, are borrowed. NO_MEMORY. */
enum status row_counts_new(const struct model *model, const struct metrics_options *options,
                           const struct measure *measures, size_t count, size_t rows,
                           struct row_counts **counts, struct error *err);
void row_counts_free(struct row_counts *counts);

/* The next row. Rows that are alike in label and prediction should follow each other: they are
 * counted together. CORRUPT for a row of another model. */
enum status row_counts_put(struct row_counts *counts, const struct metrics_row *row,
                           struct error *err);

/* times (rows): how often each row counts, below 2^31. values: of the measures; NAN where one is
 * not defined. */
void row_counts_measure(struct row_counts *counts, const uint32_t *times, double *values);
