#include "inputs/items.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "inputs/cells/cells.h"
#include "inputs/encoders.h"
#include "inputs/sequence.h"

/* Reads an id of RULE_ID; false: it is none. */
static bool read_id(struct slice word, uint32_t ids, uint32_t *id)
{
    int64_t whole;

    if (!slice_to_integer(word, &whole) || whole < 0 || whole >= (int64_t)ids)
        return false;
    *id = (uint32_t)whole;
    return true;
}

bool list_items_fit(const struct cell_list *list, uint32_t ids, struct slice text)
{
    struct list_item item;
    enum list_next next;
    uint32_t count = 0, id;

    if (list->form == LIST_SEQUENCE)
        return sequence_count(text, list, &count);
    text = slice_trim(text);
    while ((next = cell_list_next(list, &text, &item)) == LIST_ITEM)
        if (count++ == list->size || (ids && !read_id(item.word, ids, &id)))
            return false;
    return next == LIST_END;
}

enum status list_items_refuse(const struct cell *cell, const struct cell_list *list, uint32_t ids,
                              struct slice column, struct error *err)
{
    char wanted[160], pair[24] = "", of[40] = "words";

    if (ids)
        snprintf(of, sizeof of, "ids from 0 to %u", ids - 1);
    if (list->pair)
        snprintf(pair, sizeof pair, " or of pairs with %c", list->pair);
    if (list->form == LIST_SEQUENCE)
        snprintf(wanted, sizeof wanted, "a sequence of words");
    else
        snprintf(wanted, sizeof wanted, "a list of up to %u %s%s", list->size, of, pair);
    return cell_refuse(cell, column, wanted, err);
}

/* By id, then by weight. */
static void insert(struct list_selected *items, uint32_t count, struct list_selected item)
{
    while (count > 0 && (items[count - 1].id > item.id ||
                         (items[count - 1].id == item.id && items[count - 1].weight > item.weight)))
        items[count] = items[count - 1], count--;
    items[count] = item;
}

static bool row_of(const struct transform_input *input, struct slice word, int32_t *row)
{
    uint32_t id = (uint32_t)(transform_word_hash(word) % input->hash_buckets);

    if (input->spec.rule == RULE_ID && !read_id(word, input->hash_buckets, &id))
        return false;
    *row = (int32_t)(input->first_id + id);
    return true;
}

static bool select_items(const struct transform_input *input, struct slice text,
                         struct list_selected *items, uint32_t *used)
{
    const bool takes_all = !input->spec.is_weighted || input->spec.combiner == COMBINER_SUM;
    struct list_item item;
    enum list_next next;
    uint32_t count = 0;
    int32_t id;

    *used = 0;
    while ((next = cell_list_next(&input->spec.list, &text, &item)) == LIST_ITEM) {
        if (count++ == input->spec.words_max || !row_of(input, item.word, &id))
            return false;
        if (takes_all || item.weight > 0)
            insert(items, (*used)++,
                   (struct list_selected){id, input->spec.is_weighted ? item.weight : 1});
    }
    return next == LIST_END;
}

/* The number that divides the sum of the rows. */
static double divisor(enum combiner combiner, const struct list_selected *items, uint32_t count)
{
    double sum = 0;

    if (combiner == COMBINER_SUM)
        return 1;
    for (uint32_t i = 0; i < count; i++)
        sum += combiner == COMBINER_MEAN ? items[i].weight : items[i].weight * items[i].weight;
    return combiner == COMBINER_MEAN ? sum : sqrt(sum);
}

/* A share beyond all floats is the greatest of them. */
static float share_of(double weight, double by)
{
    const double share = weight / by;

    return isfinite(share) && fabs(share) <= (double)TRANSFORM_DENSE_MAX
               ? (float)share
               : (share < 0 ? -TRANSFORM_DENSE_MAX : TRANSFORM_DENSE_MAX);
}

void list_selected_put(const struct transform_input *input, const struct list_selected *items,
                       uint32_t used, int32_t *ids)
{
    const double by = divisor(input->spec.combiner, items, used);

    for (uint32_t i = 0; i < transform_text_room(input); i++)
        ids[i] = -1;
    for (uint32_t i = 0; i < used; i++) {
        ids[i] = items[i].id;
        if (input->spec.is_weighted)
            ids[input->spec.words_max + i] = list_share_put(share_of(items[i].weight, by));
    }
}

static bool text_ids(const struct transform_input *input, struct slice text, int32_t *ids)
{
    struct list_selected items[TEXT_WORDS_MAX];
    uint32_t used;

    text = slice_trim(text);
    if (!select_items(input, text, items, &used))
        return false;
    list_selected_put(input, items, used, ids);
    return true;
}

/* ---- the input ---- */

static bool is_items(const struct input_spec *spec)
{
    return spec->type == INPUT_TEXT && spec->list.form;
}

static bool fits(const struct transform_input *input)
{
    return fits_texts(input) && (input->spec.rule == RULE_HASH || input->spec.rule == RULE_ID) &&
           input->spec.list.size == input->spec.words_max &&
           (input->spec.list.pair || !input->spec.is_weighted);
}

static enum status encode(const struct transform_input *input, const struct cell *cells,
                          struct encoded_row *row, struct error *err)
{
    const struct slice column = input_column(&input->spec);
    char buffer[TRANSFORM_WORD_BUFFER];
    struct slice text;
    bool is_null;

    TRY(cell_to_word(&cells[input->column], column, buffer, &text, &is_null, err));
    if (text_ids(input, text, row->ids + input->id_offset))
        return STATUS_OK;
    return list_items_refuse(&cells[input->column], &input->spec.list,
                             input->spec.rule == RULE_ID ? input->hash_buckets : 0, column, err);
}

static void append_items(const struct input_spec *spec, struct text *out)
{
    text_append_string(out, spec->is_weighted ? ", with weights" : "");
    text_printf(out, ", by their %s", combiner_words[spec->combiner]);
}

/* " of up to 128 items, of the ids from 0 to 9, with weights, by their mean" */
static void explain(const struct input_spec *spec, struct text *out)
{
    text_printf(out, " of up to %u items,", spec->list.size);
    if (spec->rule == RULE_ID)
        text_printf(out, " of the ids from 0 to %u", spec->vocabulary_max - 1);
    else
        text_printf(out, " of %u hash buckets", spec->vocabulary_max);
    append_items(spec, out);
}

static void describe(const struct transform_input *input, bool keeps_numbers, struct text *out)
{
    (void)keeps_numbers;
    if (input->spec.rule == RULE_ID)
        text_printf(out, " of up to %u ids from 0 to %u", input->spec.words_max,
                    input->hash_buckets - 1);
    else
        text_printf(out, " of up to %u items, in %u hash buckets", input->spec.words_max,
                    input->hash_buckets);
    append_items(&input->spec, out);
}

const struct encoder items_encoder = {
    .name = "items",
    .is_of = is_items,
    .reads = READS_TEXT,
    .counts = COUNTS_NOTHING,
    .fits = fits,
    .size = size_of_texts,
    .encode = encode,
    .text_ids = text_ids,
    .explain = explain,
    .describe = describe,
};
