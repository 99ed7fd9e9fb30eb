/*
 * sequence.h - numbers or words in order, of which the last ones count: SEQUENCE(c, 3) in COLUMN.
 *
 *     a cell                            as numbers (LIST_STEPS)    as words (RULE_SEQUENCE)
 *     "1,2.5"    "1 2.5"    "[1,2.5]"   NULL  1    2.5             1 2.5
 *     "{a,b,c,d}"    '["a","b",...]'    (a bad row)                b c d
 *     ""    "[]"    NULL                NULL  NULL NULL            (none)
 *
 * An item of a text stands between delimiters, as in other lists (cell_list.h): commas or white
 * space, or the one that the statement says. A text that begins with [ or { is an array, as JSON
 * and PostgreSQL write them: items stand between commas, in quotes or without. Escapes in quotes
 * are those of JSON; null is a NULL among numbers, and no word. Arrays in arrays, objects, and what
 * is no array though it begins as one, are bad rows.
 *
 * Of more than `size` items the last ones are kept. Numbers of fewer stand at the end, behind
 * NULLs: input c[size] is the last number of each row, and how many there were shows in the NULLs.
 * Words have a vocabulary as categories have, of the words that are kept; what they select of the
 * first layer is made one by the combiner, as of other texts: so their order says which ones count,
 * and nothing else. Graphs that take a sequence step by step (RULE_ORDERED) have ids in the order
 * of the words, each as often as it is there. A word that is not in the vocabulary selects a hash
 * bucket, or nothing where there are none.
 */
#pragma once

#include "inputs/cell_list.h"

#define SEQUENCE_SIZE_MAX 512  /* longest that the rows tell */
#define SEQUENCE_WORD_MAX 1024 /* bytes of an item with escapes */

/* An item after the other. */
struct sequence {
    struct slice rest;
    const struct cell_list *list;
    bool is_array;
    char close;                   /* end of an array: ] or } */
    char word[SEQUENCE_WORD_MAX]; /* the item, where it had escapes */
};

struct sequence sequence_of(struct slice text, const struct cell_list *list);
/* The next item; it is valid until the next call. A null has no data. */
enum list_next sequence_next(struct sequence *sequence, struct slice *item);

/* How many items the text has; false: it is no sequence. */
bool sequence_count(struct slice text, const struct cell_list *list, uint32_t *count);
/* Numbers (list->size) of the text, NaN for NULL; false: it is no sequence of finite numbers. */
bool sequence_numbers(struct slice text, const struct cell_list *list, double *numbers);
/* The same of an array of numbers. */
void sequence_array(const char *doubles, size_t count, const struct cell_list *list,
                    double *numbers);
