#include "scoring/columns/list_counts.h"

#include <math.h>

#include "base/bytes.h"

/* ----- of one text ----- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "3,14" and "-1,5": a comma and digits alone. */
static bool may_be_decimal(struct slice text)
{
    size_t commas = 0;

    for (size_t i = text.size > 0 && (text.data[0] == '-' || text.data[0] == '+'); i < text.size;
         i++) {
        commas += text.data[i] == ',';
        if (text.data[i] != ',' && !is_digit(text.data[i]))
            return false;
    }
    return commas == 1;
}

static bool count_dense(struct list_counts *counts, struct slice text, const struct text_look *look)
{
    const bool is_number = look->kind == TEXT_NUMBER && isfinite(look->number);
    uint32_t numbers = 1;

    if (!is_number && !cell_list_numbers(text, &numbers))
        return false;
    if (counts->texts == 1 || numbers < counts->dense_least)
        counts->dense_least = numbers;
    if (numbers > counts->dense_most)
        counts->dense_most = numbers;
    counts->dense_plain += look->kind == TEXT_SEPARATED || may_be_decimal(text);
    return true;
}

static bool count_sparse(struct list_counts *counts, struct slice text)
{
    const struct cell_list list = {.form = LIST_SPARSE, .size = CATEGORY_WORDS_MAX, .pair = ':'};
    struct list_item item;
    enum list_next next;
    uint32_t items = 0, alone = 0;
    double total = 0;
    int64_t id;

    while ((next = cell_list_next(&list, &text, &item)) == LIST_ITEM) {
        if (!slice_to_integer(item.word, &id) || id < 0 || id >= CATEGORY_WORDS_MAX)
            return false;
        if (id >= (int64_t)counts->sparse_ids)
            counts->sparse_ids = (uint32_t)id + 1;
        total += fabs(item.weight); /* no sum of them is greater */
        alone += item.is_alone;
        items++;
    }
    if (items > counts->sparse_most)
        counts->sparse_most = items;
    counts->sparse_several += items > 1;
    counts->sparse_alone += alone > 0;
    return next == LIST_END && isfinite(total);
}

/* ----- of a column ----- */

static void end_dense(struct list_counts *counts)
{
    counts->not_dense = true;
    counts->dense_plain = counts->dense_least = counts->dense_most = 0;
}

static void end_sparse(struct list_counts *counts)
{
    counts->not_sparse = true;
    counts->sparse_several = counts->sparse_alone = counts->sparse_ids = counts->sparse_most = 0;
}

static void end_texts(struct list_counts *counts)
{
    if (!list_counts_wait(counts))
        counts->texts = 0;
}

void list_count(struct list_counts *counts, struct slice text, const struct text_look *look)
{
    if (!list_counts_wait(counts))
        return;
    text = slice_trim(text);
    counts->texts++;
    if (!counts->not_dense && !count_dense(counts, text, look))
        end_dense(counts);
    if (!counts->not_sparse && !count_sparse(counts, text))
        end_sparse(counts);
    end_texts(counts);
}

/* A text has no more than one item of two bytes: most are not looked at. Control characters that
 * are no white space are letters of words, as in inputs/cell_list.h. */
void list_count_items(struct list_counts *counts, struct slice text)
{
    uint32_t items = 1;

    if (text.size / 2 + 1 <= counts->items_most || counts->items_most == ITEMS_COUNTED_MAX)
        return;
    text = slice_trim(text);
    for (size_t i = 0; i < text.size && items < ITEMS_COUNTED_MAX; i++)
        items +=
            text.data[i] == ',' || (is_white_space(text.data[i]) && i > 0 &&
                                    text.data[i - 1] != ',' && !is_white_space(text.data[i - 1]));
    if (text.size > 0 && items > counts->items_most)
        counts->items_most = items;
}

static void merge_dense(struct list_counts *counts, const struct list_counts *other)
{
    if (other->texts == 0)
        return;
    if (counts->texts == 0 || other->dense_least < counts->dense_least)
        counts->dense_least = other->dense_least;
    if (other->dense_most > counts->dense_most)
        counts->dense_most = other->dense_most;
    counts->dense_plain += other->dense_plain;
}

static void merge_sparse(struct list_counts *counts, const struct list_counts *other)
{
    if (other->sparse_ids > counts->sparse_ids)
        counts->sparse_ids = other->sparse_ids;
    if (other->sparse_most > counts->sparse_most)
        counts->sparse_most = other->sparse_most;
    counts->sparse_several += other->sparse_several;
    counts->sparse_alone += other->sparse_alone;
}

void list_counts_merge(struct list_counts *counts, const struct list_counts *other)
{
    if (counts->not_dense || other->not_dense)
        end_dense(counts);
    else
        merge_dense(counts, other);
    if (counts->not_sparse || other->not_sparse)
        end_sparse(counts);
    else
        merge_sparse(counts, other);
    counts->texts += other->texts;
    if (other->items_most > counts->items_most)
        counts->items_most = other->items_most;
    end_texts(counts);
}

/* ----- bytes ----- */

void list_counts_put(const struct list_counts *counts, struct text *out)
{
    put_u64(out, counts->texts);
    put_u64(out, counts->dense_plain);
    put_u64(out, counts->sparse_several);
    put_u64(out, counts->sparse_alone);
    put_u32(out, counts->dense_least);
    put_u32(out, counts->dense_most);
    put_u32(out, counts->sparse_ids);
    put_u32(out, counts->sparse_most);
    put_u8(out, counts->not_dense);
    put_u8(out, counts->not_sparse);
    put_u32(out, counts->items_most);
}

bool list_counts_read(struct byte_reader *reader, struct list_counts *counts)
{
    uint8_t not_dense, not_sparse;

    counts->texts = read_u64(reader);
    counts->dense_plain = read_u64(reader);
    counts->sparse_several = read_u64(reader);
    counts->sparse_alone = read_u64(reader);
    counts->dense_least = read_u32(reader);
    counts->dense_most = read_u32(reader);
    counts->sparse_ids = read_u32(reader);
    counts->sparse_most = read_u32(reader);
    not_dense = read_u8(reader);
    not_sparse = read_u8(reader);
    counts->items_most = read_u32(reader);
    counts->not_dense = not_dense;
    counts->not_sparse = not_sparse;
    return !reader->failed && not_dense <= 1 && not_sparse <= 1 &&
           counts->dense_least <= counts->dense_most && counts->dense_most <= LIST_SIZE_MAX &&
           counts->sparse_ids <= CATEGORY_WORDS_MAX && counts->items_most <= ITEMS_COUNTED_MAX;
}
