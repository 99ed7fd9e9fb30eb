/*
 * tree_bins.h - the values of a column as at most 256 bins, which is all that trees learn from.
 *
 * Bin 0 of each column is for missing values. Of a number the bins 1, 2, ... are ranges:
 *
 *     cuts        c[0]     c[1]     c[2]  = FLT_MAX     ascending floats, all different
 *     bins     1   |   2    |   3    |   4              bin b: c[b - 2] <= value < c[b - 1]
 *
 * so a split "bins up to b go left" is the test value < c[b - 1], compared as floats. Cuts lie at
 * quantiles of the data set's sample of training rows, which count by their weights (between all
 * values where these are few and have rows enough), halfway between two values that occur. The last
 * one is FLT_MAX, above all values but itself: a split there parts the values from those that are
 * missing.
 *
 * Of a category the words that training saw most have a bin each, word i the bin i + 1; all others
 * share the last bin, where there are more.
 *
 * Cuts are a function of the sample and the limit, so all workers have the same.
 */
#ifndef RUNTIME_LEARN_TREES_TREE_BINS_H
#define RUNTIME_LEARN_TREES_TREE_BINS_H

#include "runtime/data/dataset.h"

#define TREE_BINS_MAX 256 /* of a column, with that of missing values */

struct tree_column {
    bool is_category;
    uint32_t place;    /* in a row's dense, or of a category in its ids */
    uint32_t input;    /* of transform.inputs */
    uint32_t bins;     /* with bin 0; of a number at least 3, of a category at least 1 */
    const float *cuts; /* of a number: (bins - 2) */
    uint32_t first_id; /* of a category: the id of its first word */
    uint32_t words;    /* of a category: words with a bin of their own */
};

struct tree_bins {
    struct tree_column *columns; /* numbers first, in the order of dense; then categories */
    uint32_t column_count;
    uint32_t *offsets;            /* (column_count + 1): the bins of all columns before it */
    float *cuts;                  /* of all columns */
    struct tree_search *searches; /* (columns that are numbers): where bins are looked up */
};

/* bins_most: of a column, without that of missing values; 2 to TREE_BINS_MAX - 1. That of FLT_MAX
 * is not counted where there is room for it. rows_least: training rows of a bin, as far as the
 * sample tells, where the column is a number; 1 or less is no limit. The data set's sample is held
 * meanwhile. INVALID for an input that is a text (TEXT(c)), naming it. NO_MEMORY, and what the
 * sample's rows fail by. */
enum status tree_bins_init(struct tree_bins *bins, const struct dataset *dataset,
                           uint32_t bins_most, uint32_t rows_least, struct team *team,
                           struct error *err);
void tree_bins_deinit(struct tree_bins *bins);

/* The bin of a value; of a word by its id, as it is in a row's. */
uint8_t tree_bin_of_number(const struct tree_column *column, float value);
uint8_t tree_bin_of_word(const struct tree_column *column, int32_t id);

/* The bins of `rows` rows, column by column: dense (rows, dense_width), ids (rows, id_count).
 * Column c of row r goes to out[c][r * stride]. */
void tree_bins_rows(const struct tree_bins *bins, const struct dataset *dataset, const float *dense,
                    const int32_t *ids, uint32_t rows, uint8_t *const *out, size_t stride);

#endif
