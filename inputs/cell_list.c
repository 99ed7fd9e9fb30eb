#include "inputs/cell_list.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "inputs/cells/cells.h"
#include "inputs/picture.h"
#include "inputs/sequence.h"

bool cell_list_equal(const struct cell_list *a, const struct cell_list *b)
{
    return a->form == b->form && a->size == b->size && a->delimiter == b->delimiter &&
           a->pair == b->pair && a->words_max == b->words_max && a->has_pairs == b->has_pairs &&
           a->width == b->width && a->channels == b->channels;
}

bool cell_list_is_delimiter(char delimiter)
{
    return delimiter == '\t' ||
           (delimiter >= ' ' && delimiter <= '~' && !strchr("+-.", delimiter) &&
            !(delimiter >= '0' && delimiter <= '9') && !(delimiter >= 'A' && delimiter <= 'Z') &&
            !(delimiter >= 'a' && delimiter <= 'z'));
}

/* Are its members those of a picture, or are these 0 in another list? */
static bool has_shape(const struct cell_list *list)
{
    const uint64_t row = (uint64_t)list->width * list->channels;

    return list->form == LIST_PICTURE ? row > 0 && list->size % row == 0
                                      : list->width == 0 && list->channels == 0;
}

bool cell_list_fits(const struct cell_list *list)
{
    if (list->size < 1 || list->size > cell_list_size_max(list->form) || !has_shape(list) ||
        (list->delimiter && !cell_list_is_delimiter(list->delimiter)))
        return false;
    if (cell_list_has_items(list) && list->size > TEXT_WORDS_MAX)
        return false;
    if (list->form == LIST_WORDS)
        return !list->delimiter && !list->pair && list->words_max >= 1 &&
               list->words_max <= TEXT_WORDS_MAX;
    if (list->words_max != 0 || list->has_pairs)
        return false;
    if (list->form == LIST_SPARSE || (list->form == LIST_ITEMS && list->pair))
        return cell_list_is_delimiter(list->pair) && list->pair != list->delimiter;
    return list->form != LIST_NONE && list->form <= LIST_PICTURE && list->pair == 0 &&
           !(cell_list_has_bytes(list) && list->delimiter);
}

/* ----- items ----- */

static bool ends_item(char c, char delimiter)
{
    if (delimiter == 0)
        return c == ',' || is_white_space(c);
    return is_white_space(delimiter) ? is_white_space(c) : c == delimiter;
}

static size_t skip_white(struct slice text, size_t at)
{
    while (at < text.size && is_white_space(text.data[at]))
        at++;
    return at;
}

/* The number of bytes between an item that ends here and the next one. */
static size_t separator_at(struct slice text, size_t end, char delimiter)
{
    size_t next = skip_white(text, end);

    if (next < text.size && !is_white_space(delimiter) &&
        text.data[next] == (delimiter ? delimiter : ','))
        next++;
    return next - end;
}

/* The next item of a text that was trimmed, without white space around it; false: there is none.
 * The text is what is left, NULL behind the last one. */
static bool next_item(struct slice *text, char delimiter, struct slice *item)
{
    size_t end = 0, between;

    if (!text->data)
        return false;
    while (end < text->size && !ends_item(text->data[end], delimiter))
        end++;
    *item = slice_trim((struct slice){text->data, end});
    between = separator_at(*text, end, delimiter);
    *text = between
                ? slice_trim((struct slice){text->data + end + between, text->size - end - between})
                : (struct slice){NULL, 0};
    return true;
}

static bool read_number(struct slice item, double *number)
{
    return slice_to_real(item, number) && isfinite(*number);
}

/* ----- lists ----- */

static bool read_dense(struct slice text, const struct cell_list *list, double *numbers)
{
    struct slice item;
    uint32_t count = 0;

    while (next_item(&text, list->delimiter, &item))
        if (count == list->size || !read_number(item, &numbers[count++]))
            return false;
    return count == list->size;
}

bool cell_list_numbers(struct slice text, uint32_t *count)
{
    struct slice item;
    double number;

    *count = 0;
    while (next_item(&text, ',', &item))
        if (++*count > LIST_SIZE_MAX || !read_number(item, &number))
            return false;
    return true;
}

/* "3:0.5", or "3", which counts 1. */
static bool split_pair(struct slice item, char pair, struct list_item *split)
{
    const char *at = pair ? memchr(item.data, pair, item.size) : NULL;

    *split = (struct list_item){item, 1, at == NULL};
    if (!at)
        return true;
    split->word = slice_trim((struct slice){item.data, (size_t)(at - item.data)});
    return read_number(slice_trim((struct slice){at + 1, (size_t)(item.data + item.size - at) - 1}),
                       &split->weight);
}

enum list_next cell_list_next(const struct cell_list *list, struct slice *text,
                              struct list_item *item)
{
    struct slice next;

    while (next_item(text, list->delimiter, &next))
        if (next.size > 0)
            return split_pair(next, list->pair, item) ? LIST_ITEM : LIST_WRONG;
    return LIST_END;
}

static bool read_sparse(struct slice text, const struct cell_list *list, double *numbers)
{
    struct list_item item;
    enum list_next next;
    int64_t id;

    memset(numbers, 0, list->size * sizeof *numbers);
    while ((next = cell_list_next(list, &text, &item)) == LIST_ITEM) {
        if (!slice_to_integer(item.word, &id) || id < 0 || id >= (int64_t)list->size)
            return false;
        numbers[id] += item.weight;
        if (!isfinite(numbers[id]))
            return false;
    }
    return next == LIST_END;
}

struct counted_words counted_words_of(struct slice text, const struct cell_list *list,
                                      double *numbers)
{
    memset(numbers, 0, list->size * sizeof *numbers);
    return (struct counted_words){text_terms_of(text, list->has_pairs), list, numbers, 0};
}

bool counted_words_next(struct counted_words *counted, struct slice *word)
{
    const struct cell_list *list = counted->list;

    if (counted->different >= list->words_max || !text_terms_next(&counted->terms, word))
        return false;
    counted->different += counted->numbers[transform_word_hash(*word) % list->size]++ == 0;
    return true;
}

static void count_words(struct slice text, const struct cell_list *list, double *numbers)
{
    struct counted_words counted = counted_words_of(text, list, numbers);
    struct slice word;

    while (counted_words_next(&counted, &word))
        continue;
}

/* "where a list of 3 numbers, separated by ";", was expected" */
static enum status refuse(const struct cell *cell, const struct cell_list *list,
                          struct slice column, struct error *err)
{
    char wanted[160], between[32] = "";

    if (list->delimiter)
        snprintf(between, sizeof between,
                 list->delimiter == '\t' ? ", separated by tabs," : ", separated by \"%c\",",
                 list->delimiter);
    if (list->form == LIST_DENSE)
        snprintf(wanted, sizeof wanted, "a list of %u number%s%s", list->size,
                 list->size == 1 ? "" : "s", between);
    else if (list->form == LIST_WORDS)
        snprintf(wanted, sizeof wanted, "text");
    else if (list->form == LIST_STEPS)
        snprintf(wanted, sizeof wanted, "a sequence of numbers%s", between);
    else
        snprintf(wanted, sizeof wanted, "a list of ids from 0 to %u, or of id%cnumber%s%s",
                 list->size - 1, list->pair, between[0] ? "" : ",", between);
    return cell_refuse(cell, column, wanted, err);
}

static bool read_array(const struct cell *cell, const struct cell_list *list, double *numbers)
{
    if (list->form == LIST_STEPS && cell->integer == VECTOR_FAULTLESS) {
        sequence_array(cell->text.data, cell_elements(cell), list, numbers);
        return true;
    }
    if (list->form != LIST_DENSE || cell->integer != VECTOR_FAULTLESS ||
        cell_elements(cell) != list->size)
        return false;
    memcpy(numbers, cell->text.data, list->size * sizeof *numbers);
    return true;
}

static enum status read_bytes(const struct cell *cell, const struct cell_list *list,
                              struct slice column, double *numbers, bool *is_null,
                              struct error *err)
{
    char wanted[40];

    *is_null = cell->type == CELL_NULL;
    if (cell->type == CELL_BLOB)
        return picture_read(cell->text, list, column, numbers, err);
    memset(numbers, 0, list->size * sizeof *numbers);
    if (*is_null)
        return STATUS_OK;
    snprintf(wanted, sizeof wanted, "a blob of %u bytes", list->size);
    return cell_refuse(cell, column, wanted, err);
}

enum status cell_list_read(const struct cell *cell, const struct cell_list *list,
                           struct slice column, double *numbers, bool *is_null, struct error *err)
{
    char buffer[TRANSFORM_WORD_BUFFER];
    struct slice text;
    bool is_read;

    *is_null = false;
    if (cell_list_has_bytes(list))
        return read_bytes(cell, list, column, numbers, is_null, err);
    if (cell->type == CELL_VECTOR)
        return read_array(cell, list, numbers) ? STATUS_OK : refuse(cell, list, column, err);
    TRY(cell_to_word(cell, column, buffer, &text, is_null, err));
    if (list->form == LIST_WORDS) {
        count_words(*is_null ? (struct slice){"", 0} : text, list, numbers);
        *is_null = false;
        return STATUS_OK;
    }
    text = slice_trim(text);
    if (*is_null || text.size == 0) {
        *is_null = list->form == LIST_DENSE || list->form == LIST_STEPS;
        memset(numbers, 0, list->size * sizeof *numbers);
        return STATUS_OK;
    }
    is_read = list->form == LIST_DENSE   ? read_dense(text, list, numbers)
              : list->form == LIST_STEPS ? sequence_numbers(text, list, numbers)
                                         : read_sparse(text, list, numbers);
    return is_read ? STATUS_OK : refuse(cell, list, column, err);
}
