/*
 * items.h - a category of several values in one text: what its items select of the first layer.
 *
 *     CATEGORY_ID of 10         "7, 3, 7"        rows 3  7  7
 *     the same with weights     "7:0.5 3"        rows 3  7     which count 1 and 0.5
 *     CATEGORY_HASH             "red, blue"      the rows of their hashes
 *
 * Rows ascend, those of one row by their weights, so that their sum has the same bits in whatever
 * order items stand. A row that several items select counts for each of them. What each counts
 * says the combiner, of n items with the weights w, which are 1 where there are none:
 *
 *     sum      w
 *     mean     w / (w1 + ... + wn)
 *     sqrtn    w / sqrt(w1 w1 + ... + wn wn)
 *
 * As in TensorFlow items whose weights are not above 0 do not count, but for a sum.
 */
#pragma once

#include <string.h>

#include "base/cell.h"
#include "base/error.h"
#include "inputs/cell_list.h"

struct transform_input;

/* An item's share lies behind the ids of a row, as a negative number, which selects nothing: the
 * float without its last bit. */
static inline int32_t list_share_put(float share)
{
    uint32_t bits;

    memcpy(&bits, &share, sizeof bits);
    return (int32_t)(bits >> 1 | 0x80000000u);
}
static inline float list_share_get(int32_t stored)
{
    const uint32_t bits = (uint32_t)stored << 1;
    float share;

    memcpy(&share, &bits, sizeof share);
    return share;
}

/* An item of a text: what it selects, and what it counts. */
struct list_selected {
    int32_t id;
    double weight;
};
/* Puts `used` items, which ascend, into ids (transform_text_room), with their shares where the
 * input is weighted, and -1 behind them. */
void list_selected_put(const struct transform_input *input, const struct list_selected *items,
                       uint32_t used, int32_t *ids);

/* Can the text be read as items: ids below `ids`, or any words where that is 0? */
bool list_items_fit(const struct cell_list *list, uint32_t ids, struct slice text);
/* INVALID: column "c" holds '3,12', where ... was expected. */
enum status list_items_refuse(const struct cell *cell, const struct cell_list *list, uint32_t ids,
                              struct slice column, struct error *err);
