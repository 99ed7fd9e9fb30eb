#include "cli/printing/table_fit.h"

#include <stdbool.h>

/* The width of a column where no column is wider than `cap` but for its least width. */
static unsigned capped(unsigned width, unsigned least, unsigned cap)
{
    if (cap < least)
        cap = least;
    return width < cap ? width : cap;
}

/* Columns are taken from both ends in turn while they fit at their least width. */
static struct table_fit choose(const unsigned *widths, const unsigned *least, size_t count,
                               unsigned room)
{
    struct table_fit fit = {0, 0};
    unsigned long used = 0;

    for (size_t i = 0; i < count; i++)
        used += capped(widths[i], least[i], 0) + TABLE_FIT_FRAME;
    if (used <= room || count <= 1)
        return (struct table_fit){count, 0};
    used = 1 + TABLE_FIT_FRAME; /* the column that stands for the others */
    while (fit.left + fit.right + 1 < count) {
        const bool is_left = fit.left <= fit.right;
        const size_t at = is_left ? fit.left : count - 1 - fit.right;

        used += capped(widths[at], least[at], 0) + TABLE_FIT_FRAME;
        if (used > room && fit.left > 0)
            break;
        *(is_left ? &fit.left : &fit.right) += 1;
    }
    return fit;
}

static unsigned long width_of(const struct table_fit *fit, const unsigned *widths,
                              const unsigned *least, size_t count, unsigned cap)
{
    unsigned long used = fit->left + fit->right < count ? 1 + TABLE_FIT_FRAME : 0;

    for (size_t i = 0; i < count; i++)
        if (i < fit->left || i >= count - fit->right)
            used += capped(widths[i], least[i], cap) + TABLE_FIT_FRAME;
    return used;
}

struct table_fit table_fit(unsigned *widths, const unsigned *least, size_t count, unsigned room)
{
    const struct table_fit fit = choose(widths, least, count, room);
    unsigned cap = 0, beyond = room + 1; /* no column is wider than the room */

    while (cap + 1 < beyond) {
        const unsigned middle = cap + (beyond - cap) / 2;

        if (width_of(&fit, widths, least, count, middle) <= room)
            cap = middle;
        else
            beyond = middle;
    }
    for (size_t i = 0; i < count; i++)
        widths[i] = capped(widths[i], least[i], cap);
    return fit;
}
