/*
 * column_counts.h - what the statistics of a job (column_statistics.h) count of each column.
 */
#pragma once

#include "base/cell.h"
#include "runtime/data/spool/column_statistics.h"
#include "runtime/data/statistics/exact_sum.h"
#include "runtime/data/statistics/word_table.h"

#define FEW_WORDS 8

enum column_content {
    COLUMN_NUMBERS, /* a numeric input, or the label of a regression */
    COLUMN_WORDS,   /* a category */
    COLUMN_CLASSES, /* the label of a classification: texts, or the bytes of numbers */
    COLUMN_TEXTS,   /* a text, whose words are hashed, or a category that has no vocabulary: nothing
                       of it but NULLs is counted */
    COLUMN_VALUES   /* a category of buckets whose bounds are quantiles: the bytes of numbers */
};

/* Counts are modulo 2^64, so that a row may be taken out before it is added. A word that was taken
 * out as often as it was added stays in the table with a count of 0, and counts as absent. */
struct column_counts {
    enum column_content content;
    struct slice name;
    uint64_t nulls;

    uint32_t words_most; /* COLUMN_WORDS: of a text that holds several; 0: each is one */
    uint32_t number;     /* COLUMN_NUMBERS: which of the moments */

    uint64_t infinite; /* otherwise: numbers that are no words */
    struct word_table table;
    struct arena words;
    size_t word_bytes;
    int64_t few[FEW_WORDS]; /* numbers: the first entries' bits, which are faster compared */
};

struct column_statistics {
    const struct jobspec *spec;
    uint64_t rows;
    uint32_t column_count, number_count;
    uint32_t weight, counts_count; /* the column of sample weights; 0: none */
    /* (counts_count): of each column, and of classes whose rows have weights the labels of the rows
     * that weigh more than 0, as one more. */
    struct column_counts *columns;
    struct exact_moments *moments; /* (number_count) */
    double *tile;                  /* (EXACT_TILE_ROWS, a few columns): numbers to be added */
    size_t word_bytes, word_bytes_max;
};

/* The labels of the rows that weigh more than 0. NULL: the labels are no classes, or the rows have
 * no weights. */
const struct column_counts *weighed_labels(const struct column_statistics *statistics);

/* In messages, before its name: "label column". */
const char *column_is_called(const struct column_statistics *statistics, uint32_t number);

/* Adds so many of a word of a column that is not of numbers. */
enum status count_word(struct column_statistics *statistics, struct column_counts *column,
                       struct slice word, uint64_t count, struct error *err);

/* The same of a word that is not in the column's table. */
enum status count_new_word(struct column_statistics *statistics, struct column_counts *column,
                           struct slice word, uint64_t count, struct error *err);

/* Those of a column that are there: entries (*count), to be freed. */
enum status list_words(const struct column_counts *column, struct word_entry **entries,
                       uint32_t *count, struct error *err);

/* By bytes; or by count descending, then by bytes. Nothing of it depends on the order of rows. */
enum word_order { WORDS_BY_BYTES, WORDS_BY_COUNT };
enum status sort_words(struct word_entry *entries, uint32_t count, enum word_order order,
                       struct error *err);
/* Moves those to the front that are among the `most` most frequent ones, and others that are as
 * frequent as the last of these; their number. Sorting what is cut off anyway takes longest. */
uint32_t frequent_words(struct word_entry *entries, uint32_t count, uint32_t most);

/* INVALID where the labels of a classification are no classes, or more than there can be. */
enum status check_classes(const struct jobspec *spec, const struct word_entry *entries,
                          uint32_t count, struct error *err);

/* The value of a class, from the bytes of the word that it was counted as. */
struct cell class_to_cell(enum label_type type, struct slice word);
/* And back: the bytes that the statistics have of such a label, as long as the cell is there. */
struct slice class_word(const struct cell *class);
