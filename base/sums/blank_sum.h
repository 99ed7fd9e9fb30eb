/*
 * blank_sum.h - a checksum behind a text in JSON, written in blanks.
 *
 *     JSON | 64 blanks, the bits of the checksum: space 0, tab 1 | end of line
 *
 * A bit that is inverted where the text is kept can make another valid text of it. To a reader of
 * JSON the blanks are nothing, so that programs which know no checksum read the text as well. It
 * goes with the text, wherever that is kept. A text without one was written by hand, or by such a
 * program.
 */
#pragma once

#include <stdint.h>

#include "base/text.h"

void blank_sum_append(struct text *json, uint64_t sum);

enum blank_sum {
    BLANK_SUM_NONE, /* no more than two blanks at the end. No single bit turns FOUND into this, and
                       leaves JSON */
    BLANK_SUM_FOUND,
    BLANK_SUM_DAMAGED, /* blanks that are no checksum */
};
/* FOUND: it is taken off the text. */
enum blank_sum blank_sum_take(struct slice *text, uint64_t *sum);
