/*
 * row_copies.h - how many rows with the same hash came before: what tells copies of a row apart, so
 * that they are drawn one by one and not all together.
 *
 * Of COPIES_ROWS_MAX different hashes that came first; copies of other rows are not told apart.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define COPIES_ROWS_MAX ((size_t)1 << 21) /* 64 MiB */

struct row_copies { /* zeros: empty */
    struct row_copy {
        uint64_t hash;
        uint64_t count; /* 0: the place is free */
    } * places;         /* (room): open addressing */
    size_t count, room; /* room: a power of two, or 0 */
};

void row_copies_deinit(struct row_copies *copies);
/* One more row with the hash: *before is how many there were. NO_MEMORY. */
enum status row_copies_add(struct row_copies *copies, uint64_t hash, uint64_t *before,
                           struct error *err);
