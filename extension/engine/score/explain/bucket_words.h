/*
 * bucket_words.h - which words fall into the hash buckets of texts, in the rows of an explanation.
 *
 *     bucket_words_init --> bucket_words_add for each row, in any order --> bucket_words_sort
 *                       --> bucket_words_name
 *
 * A model stores no words, so those of the rows that come are counted: of a bucket the most
 * frequent ones are named, of equally frequent ones those that are first by their bytes. No word is
 * named where the rows have more than BUCKET_WORDS_MAX different ones, since which ones are counted
 * would depend on the order of the rows.
 */
#pragma once

#include "base/arena.h"
#include "runtime/data/statistics/word_table.h"
#include "scoring/model.h"

#define BUCKET_WORDS_MAX 262144

struct bucket_word {
    struct slice word;
    uint64_t count;
    uint32_t bucket;
};

/* A text of the model. */
struct bucket_text {
    uint32_t input, buckets; /* the input of its first bucket, and count of buckets */
    struct word_table table;
    double *counts;             /* (buckets): of the row that is read */
    struct bucket_word *sorted; /* (table.count): by bucket, the most frequent ones first */
    uint32_t *firsts;           /* (buckets + 1): where the words of each begin in `sorted` */
};

struct bucket_words {
    const struct transform *transform; /* borrowed */
    struct bucket_text *texts;         /* in the order of inputs */
    uint32_t count;
    struct arena arena; /* the words */
    uint32_t words;     /* count of words of all texts */
    bool is_full;       /* there are more than BUCKET_WORDS_MAX: none is kept */
};

/* The transform counts words or does not; then there are no texts, and nothing is added. */
enum status bucket_words_init(struct bucket_words *words, const struct transform *transform,
                              struct error *err);
void bucket_words_deinit(struct bucket_words *words);

/* cells (columns of the transform): they were transformed. */
enum status bucket_words_add(struct bucket_words *words, const struct cell *cells,
                             struct error *err);
/* No more rows. */
enum status bucket_words_sort(struct bucket_words *words, struct error *err);

/* "ship 12, cargo 3, w17 1 and 4 more": how often they are there. NULL: the input is no bucket, or
 * no word fell into it, or none is kept. */
enum status bucket_words_name(const struct bucket_words *words, uint32_t input, struct arena *arena,
                              struct cell *name, struct error *err);
