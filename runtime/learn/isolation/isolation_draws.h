/*
 * isolation_draws.h - which rows the trees of an isolation forest are grown from.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"

/* The row is the one of that place: place `i` of tree t, counted from the first tree drawn, is
 * t * sample + i. */
struct isolation_draw {
    uint64_t row;
    uint32_t place;
};

/* Draws (trees * sample), sorted by row: of each of the trees [first, first + trees) so many
 * different ones of `rows` rows, sample <= rows. A function of the seed and the numbers alone.
 * NO_MEMORY. */
enum status isolation_draw_rows(uint64_t seed, uint32_t first, uint32_t trees, uint32_t sample,
                                uint64_t rows, struct isolation_draw *draws, struct error *err);
/* The first of the sorted draws whose row is not before this one. */
size_t isolation_draws_find(const struct isolation_draw *draws, size_t count, uint64_t row);
