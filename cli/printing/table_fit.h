/*
 * table_fit.h - how wide the columns of a table are, so that it fits a screen.
 *
 *     wanted widths        4      40     9      60        room for 85
 *     the widest shrink    4      30     9      30        none below its least width
 *     still too wide:      those in the middle are left out
 */
#pragma once

#include <stddef.h>

#define TABLE_FIT_FRAME 3 /* " | " beside each column */

/* The columns shown: the first `left` and the last `right` ones. */
struct table_fit {
    size_t left, right;
};

/* Make the widths of those that are shown so small, but none below its entry in `least`, that with
 * a frame each they take at most `room`; where some are left out a column of width 1 stands for
 * them. At least the first column is shown, however small the room. */
struct table_fit table_fit(unsigned *widths, const unsigned *least, size_t count, unsigned room);
