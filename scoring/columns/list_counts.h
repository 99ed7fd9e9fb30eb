/*
 * list_counts.h - are all texts of a column lists (cell_list.h), and of how many numbers or ids?
 *
 *     "1.5, 2"   "-3, 0.5"      dense, of 2 numbers
 *     "3:0.5 1"  "7"            sparse, of the ids from 0 to 7
 *
 * Delimiters are the usual ones: of numbers a comma, of ids commas or white space, and ':' before
 * the number of an id. Blank texts and NULLs fit any list and are not counted. A text that is no
 * such list ends the counting of that form, and what was counted of it is zero again, so that the
 * counts do not depend on the order of texts, and columns of words cost one look.
 */
#pragma once

#include "base/text.h"
#include "inputs/cell_list.h"
#include "inputs/cells/cell_text.h"

struct byte_reader;

#define ITEMS_COUNTED_MAX 512

struct list_counts {
    uint64_t texts;          /* texts of either form; 0: there are none, or other texts as well */
    uint64_t dense_plain;    /* dense ones that may be one number, "3,14", "1,000" */
    uint64_t sparse_several; /* sparse ones of more items than one */
    uint64_t sparse_alone;   /* sparse ones with an id that has no number */
    uint32_t dense_least, dense_most; /* numbers */
    uint32_t sparse_ids;              /* one more than the greatest id */
    uint32_t sparse_most;             /* items of a text */
    bool not_dense, not_sparse;
    uint32_t items_most; /* items of any text, at most ITEMS_COUNTED_MAX; commas in quotes, and
                            white space beside commas, may make it greater */
};

static inline bool list_counts_wait(const struct list_counts *counts)
{
    return !counts->not_dense || !counts->not_sparse;
}
/* A text that is not blank. */
void list_count(struct list_counts *counts, struct slice text, const struct text_look *look);
/* How many items the text has at most, between commas or white space. */
void list_count_items(struct list_counts *counts, struct slice text);
void list_counts_merge(struct list_counts *counts, const struct list_counts *other);
void list_counts_put(const struct list_counts *counts, struct text *out);
/* False for bytes that list_counts_put cannot have written. */
bool list_counts_read(struct byte_reader *reader, struct list_counts *counts);
