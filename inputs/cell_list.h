/*
 * cell_list.h - several values in one text.
 *
 *     LIST_DENSE   of 3    "1.5, 2, -3"        1.5  2  -3
 *     LIST_SPARSE  of 5    "3, 1, 3"           0  1  0  2  0      an id alone counts 1
 *                          "3:0.5 1:2"         0  2  0  0.5  0    or what stands behind it
 *
 *     LIST_ITEMS   of 3    "red, blue"         the items themselves, of which a category is made
 *                          "7:0.5 3"           (items.h)
 *
 *     LIST_WORDS   of 4    "To be, or to not"  2  0  3  0      how many of its words fall into
 *                                                              each hash bucket; with has_pairs
 *                                                              its pairs of words, too
 *
 *     LIST_STEPS   of 3    "1, 2, 3, 4"       2  3  4         the last ones, behind NULLs where
 *     LIST_SEQUENCE        "[\"a\", \"b\"]"                   there are fewer (sequence.h)
 *
 *     LIST_BYTES   of 4    x'00ff8001'         0  255  128  1    the bytes of a blob, or of a bytea
 *     LIST_PICTURE                             likewise, or those that its PNG has (picture.h)
 *
 * The number of id i in a sparse list is the sum over its items, 0 where there is none; ids begin
 * at 0. White space around an item does not count, and empty items of a sparse list are passed
 * over. A blank text, and NULL, is a dense list of NULLs, a sparse one without items and a text
 * without words. A cell that is a number is the list of that one item. Words and pairs are those of
 * text_terms.h, and their buckets those of text.c.
 */
#pragma once

#include "base/cell.h"
#include "base/error.h"
#include "inputs/texts/text_terms.h"
#include "params/terms.h"

#define LIST_SIZE_MAX    MODEL_INPUTS_MAX
#define LIST_NUMBERS_MAX PICTURE_NUMBERS_MAX /* room for the numbers of any list */

struct cell_list {
    enum list_form form;
    uint32_t size;      /* numbers, or one more than the greatest id: 1 to LIST_SIZE_MAX;
                           LIST_PICTURE: height * width * channels, 1 to PICTURE_NUMBERS_MAX;
                           LIST_ITEMS: most items of one text, up to TEXT_WORDS_MAX; LIST_WORDS:
                           hash buckets */
    char delimiter;     /* between items; 0: a comma, or white space. A blank: any white space */
    char pair;          /* between an item and its number; 0: items have none */
    uint32_t words_max; /* LIST_WORDS: a text is read until its words are in so many different
                           buckets, up to TEXT_WORDS_MAX; else 0 */
    bool has_pairs;     /* LIST_WORDS: pairs of words that follow each other are counted, too */
    uint32_t width;     /* LIST_PICTURE: pixels of a row; else 0 */
    uint32_t channels;  /* LIST_PICTURE: numbers of a pixel; else 0 */
};

/* Are its cells pictures? */
static inline bool cell_list_has_bytes(const struct cell_list *list)
{
    return list->form == LIST_BYTES || list->form == LIST_PICTURE;
}

/* The most numbers, or items, that such a list has. */
static inline uint32_t cell_list_size_max(enum list_form form)
{
    return form == LIST_PICTURE ? PICTURE_NUMBERS_MAX : LIST_SIZE_MAX;
}

/* Is each number of the list an input? */
static inline bool cell_list_has_numbers(const struct cell_list *list)
{
    return list->form == LIST_DENSE || list->form == LIST_SPARSE || list->form == LIST_WORDS ||
           list->form == LIST_STEPS || cell_list_has_bytes(list);
}

/* Are its items, in one text, the values of a category? */
static inline bool cell_list_has_items(const struct cell_list *list)
{
    return list->form == LIST_ITEMS || list->form == LIST_SEQUENCE;
}

/* May its cells be arrays of other lengths? A dense list takes those of its own. */
static inline bool cell_list_takes_arrays(const struct cell_list *list)
{
    return list->form == LIST_STEPS;
}

bool cell_list_equal(const struct cell_list *a, const struct cell_list *b);
/* Can a list have such a delimiter? One that no number has. */
bool cell_list_is_delimiter(char delimiter);
/* Is it the description of a list that can be read? */
bool cell_list_fits(const struct cell_list *list);

/* An item: what stands before the pair's delimiter, and the number behind it, 1 where there is
 * none. */
struct list_item {
    struct slice word;
    double weight;
    bool is_alone; /* there is no number behind it */
};
enum list_next { LIST_END, LIST_ITEM, LIST_WRONG };
/* The next item that is not empty, of a text that was trimmed and is shortened by it. LIST_WRONG:
 * what stands behind the pair's delimiter is no number. */
enum list_next cell_list_next(const struct cell_list *list, struct slice *text,
                              struct list_item *item);

/* How many numbers a trimmed text holds, separated by commas; false: something else, or more than
 * LIST_SIZE_MAX. */
bool cell_list_numbers(struct slice text, uint32_t *count);

/* The words and pairs of a text that LIST_WORDS counts, as they are counted. */
struct counted_words {
    struct text_terms terms;
    const struct cell_list *list;
    double *numbers; /* (list.size): of the words so far */
    uint32_t different;
};
struct counted_words counted_words_of(struct slice text, const struct cell_list *list,
                                      double *numbers);
/* Valid until the next call; false: nothing further counts. */
bool counted_words_next(struct counted_words *counted, struct slice *word);

/* The numbers (list.size) of the cell; *is_null: they are NULL. INVALID for another cell, naming
 * the column. */
enum status cell_list_read(const struct cell *cell, const struct cell_list *list,
                           struct slice column, double *numbers, bool *is_null, struct error *err);
