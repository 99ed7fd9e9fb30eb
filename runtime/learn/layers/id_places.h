/*
 * id_places.h - which rows of a table a batch selects, and where each of them lies in a small table
 * that has these rows alone, side by side.
 *
 *     ids of the rows of data:  7 900 7 -1 12      selected: 7, 12, 900    counts: 2, 1, 1
 *     places:                   0   2 0 -1  1
 *
 * A worker whose weights lie on parameter servers has no more of a table than that.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct id_places {
    uint32_t most;   /* ids that there is room for */
    uint32_t count;  /* ids that are selected */
    uint64_t *ids;   /* (count): each once; after id_places_settle they ascend */
    uint32_t *seen;  /* (count): how often each was selected */
    uint32_t *index; /* (index_size): 1 + number of an id; 0: none. Open addressing */
    uint32_t index_size;
};

enum status id_places_make(struct id_places *places, uint32_t most, struct error *err);
void id_places_deinit(struct id_places *places);

void id_places_clear(struct id_places *places);
/* Selects the ids but those that are -1. No more different ones than there is room for. */
void id_places_select(struct id_places *places, const int32_t *ids, size_t count);
/* After all are selected: the ids ascend, and the place of each is its rank. */
void id_places_settle(struct id_places *places);
/* Each id becomes its place; all of them are selected. */
void id_places_map(const struct id_places *places, int32_t *ids, size_t count);
