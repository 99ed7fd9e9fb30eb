/*
 * tree_bins.h - the values of a column as bins, which is all that trees learn from: at most 256 of
 * a number, one for each word of a category.
 *
 * Bin 0 of each column is for missing values. The bins 1, 2, ... of a number are ranges:
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
 * A category has a bin for each word, bin i + 1 for word i. The last bin is shared by hashed words,
 * which are not in the vocabulary, and, where words are many, by those of too few rows to be sorted
 * (trees_word_rows). Columns of more than 256 bins are wide: their bins have 16 bits, and they come
 * after all others, so that rows keep both kinds apart. There are at most TREE_WIDE_BINS_MAX bins:
 * words beyond share the last one, too (kind.words_most). The user is told of words that share.
 *
 * Cuts are a function of the sample and the limit, so all workers have the same.
 */
#pragma once

#include "kinds/trees/trees_attributes.h"
#include "runtime/data/dataset/dataset.h"

#define TREE_BINS_MAX      256 /* most bins of a column that is not wide, with bin 0 */
#define TREE_WIDE_BINS_MAX 65536

struct tree_column {
    bool is_category;
    uint32_t place;    /* index in a row's dense numbers; a category's, in its ids */
    uint32_t input;    /* index in transform.inputs */
    uint32_t bins;     /* with bin 0; a number has at least 3, a category at least 1 */
    const float *cuts; /* a number's: (bins - 2) */
    uint32_t first_id; /* a category's: the id of its first word */
    uint32_t words;    /* a category's words with a bin of their own */
};

struct tree_bins {
    struct tree_column *columns; /* numbers first, in the order of dense; then categories, those
                                    that are wide last */
    uint32_t column_count, wide_count;
    uint32_t *offsets;            /* (column_count + 1): the bins of all columns before it */
    float *cuts;                  /* the cuts of all columns */
    struct tree_search *searches; /* (columns that are numbers): where bins are looked up */
};

/* bins_most: a number's bins without bin 0, 2 to TREE_BINS_MAX - 1. The bin above the cut FLT_MAX
 * is not counted where there is room for it. params: min_bin_rows, the least training rows of a
 * number's bin as far as the sample tells, and the parameters of words are read. The data set's
 * sample is held meanwhile. INVALID for an input that is a text (TEXT(c)), naming it. NO_MEMORY,
 * and the failures of row_store_hold. */
enum status tree_bins_init(struct tree_bins *bins, const struct dataset *dataset,
                           uint32_t bins_most, const struct trees_params *params, struct team *team,
                           struct error *err);
void tree_bins_deinit(struct tree_bins *bins);

/* The bin of a value; the bin of a word by its id, as it is in a row's ids. */
uint8_t tree_bin_of_number(const struct tree_column *column, float value);
uint16_t tree_bin_of_word(const struct tree_column *column, int32_t id);

/* How many columns are not wide; they are the first ones. */
static inline uint32_t tree_bins_narrow(const struct tree_bins *bins)
{
    return bins->column_count - bins->wide_count;
}

/* The bins of the column that has most. */
uint32_t tree_bins_widest(const struct tree_bins *bins);

/* The bins of `rows` rows, column by column: dense (rows, dense_width), ids (rows, id_count).
 * Column c of row r goes to out[c][r * stride], unless it is wide. */
void tree_bins_rows(const struct tree_bins *bins, const struct dataset *dataset, const float *dense,
                    const int32_t *ids, uint32_t rows, uint8_t *const *out, size_t stride);
/* The bins of a wide column, side by side. */
void tree_bins_wide_rows(const struct tree_bins *bins, const struct dataset *dataset,
                         uint32_t column, const int32_t *ids, uint32_t rows, uint16_t *out);
