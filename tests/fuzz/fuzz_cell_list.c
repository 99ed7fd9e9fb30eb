/* Whatever a text is: a list of finite numbers, or refused; and the same again with white space
 * around it. What is counted as a list can be read as one. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "inputs/cell_list.h"
#include "inputs/items.h"
#include "inputs/sequence.h"
#include "scoring/columns/list_counts.h"

static void check_list(const struct cell_list *list, struct slice text, struct slice padded)
{
    struct cell cell = {.type = CELL_TEXT, .text = text};
    double numbers[LIST_SIZE_MAX], again[LIST_SIZE_MAX];
    struct error err;
    bool is_null;
    const enum status status = cell_list_read(&cell, list, SLICE("c"), numbers, &is_null, &err);

    cell.text = padded;
    if (cell_list_read(&cell, list, SLICE("c"), again, &is_null, &err) != status)
        abort();
    for (uint32_t i = 0; status == STATUS_OK && i < list->size; i++)
        if ((!isfinite(numbers[i]) && !(list->form == LIST_STEPS && isnan(numbers[i]))) ||
            memcmp(&numbers[i], &again[i], sizeof again[i]) != 0)
            abort();
}

static void check_counted(const struct cell_list *list, struct slice text)
{
    const struct cell cell = {.type = CELL_TEXT, .text = text};
    double numbers[LIST_SIZE_MAX];
    struct error err;
    bool is_null;

    if (list->size <= LIST_SIZE_MAX &&
        cell_list_read(&cell, list, SLICE("c"), numbers, &is_null, &err) != STATUS_OK)
        abort();
}

/* Each item lies in the text, or where its escapes were read; there are no more than were counted.
 */
static void check_sequence(const struct cell_list *list, struct slice text)
{
    struct sequence sequence = sequence_of(text, list);
    struct list_counts counts = {0};
    uint32_t count = 0, counted;
    struct slice item;
    enum list_next next;

    while ((next = sequence_next(&sequence, &item)) == LIST_ITEM) {
        const bool is_inside =
            item.data >= text.data && item.data + item.size <= text.data + text.size;

        if (item.data && !is_inside &&
            (item.data != sequence.word || item.size > SEQUENCE_WORD_MAX))
            abort();
        count++;
    }
    if (sequence_count(text, list, &counted) != (next == LIST_END) || count != counted ||
        list_items_fit(list, 0, text) != (next == LIST_END))
        abort();
    list_count_items(&counts, text);
    if (next == LIST_END && !list->delimiter && counts.items_most < ITEMS_COUNTED_MAX &&
        count > counts.items_most)
        abort();
}

static void check_counts(struct slice text)
{
    const struct text_look look = text_look_at(text);
    struct list_counts counts = {0};

    if (look.kind == TEXT_BLANK)
        return;
    list_count(&counts, text, &look);
    if (!counts.not_dense)
        check_counted(&(struct cell_list){LIST_DENSE, counts.dense_most, ',', 0, 0}, text);
    if (!counts.not_sparse && counts.sparse_ids > 0)
        check_counted(&(struct cell_list){LIST_SPARSE, counts.sparse_ids, 0, ':', 0}, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct cell_list lists[] = {
        {LIST_DENSE, 3, ',', 0, 0, false, 0, 0},    {LIST_DENSE, 3, ' ', 0, 0, false, 0, 0},
        {LIST_SPARSE, 5, 0, ':', 0, false, 0, 0},   {LIST_SPARSE, 2000, '|', '=', 0, false, 0, 0},
        {LIST_WORDS, 7, 0, 0, 3, false, 0, 0},      {LIST_STEPS, 3, 0, 0, 0, false, 0, 0},
        {LIST_STEPS, 2000, ';', 0, 0, false, 0, 0}, {LIST_WORDS, 7, 0, 0, 3, true, 0, 0}};
    static const struct cell_list sequences[] = {{LIST_SEQUENCE, 3, 0, 0, 0, false, 0, 0},
                                                 {LIST_SEQUENCE, 1024, '|', 0, 0, false, 0, 0}};
    char *padded = malloc(size + 2);

    if (!padded)
        abort();
    padded[0] = padded[size + 1] = ' ';
    if (size)
        memcpy(padded + 1, data, size);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        check_list(&lists[i], (struct slice){padded + 1, size}, (struct slice){padded, size + 2});
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
        check_sequence(&sequences[i], (struct slice){padded + 1, size});
    check_counts((struct slice){padded, size + 2});
    free(padded);
    return 0;
}
