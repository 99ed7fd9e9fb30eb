#include "runtime/learn/layers/id_places.h"

#include <stdlib.h>
#include <string.h>

#define SPREAD 0x9e3779b97f4a7c15ull /* 2^64 / the golden ratio */

enum status id_places_make(struct id_places *places, uint32_t most, struct error *err)
{
    uint32_t size = 16;

    while (size < 2 * (uint64_t)most && size < 1u << 31)
        size *= 2;
    *places = (struct id_places){.most = most,
                                 .ids = calloc(most + 1ull, sizeof *places->ids),
                                 .seen = calloc(most + 1ull, sizeof *places->seen),
                                 .index = calloc(size, sizeof *places->index),
                                 .index_size = size};
    if (places->ids && places->seen && places->index)
        return STATUS_OK;
    id_places_deinit(places);
    return fail_no_memory(err);
}

void id_places_deinit(struct id_places *places)
{
    free(places->ids);
    free(places->seen);
    free(places->index);
    *places = (struct id_places){0};
}

/* Where the id is, or would be. */
static uint32_t *slot_of(const struct id_places *places, uint64_t id)
{
    uint32_t at = (uint32_t)(id * SPREAD >> 32) & (places->index_size - 1);

    while (places->index[at] > 0 && places->ids[places->index[at] - 1] != id)
        at = (at + 1) & (places->index_size - 1);
    return &places->index[at];
}

void id_places_clear(struct id_places *places)
{
    places->count = 0;
    memset(places->index, 0, places->index_size * sizeof *places->index);
}

void id_places_select(struct id_places *places, const int32_t *ids, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t *slot;

        if (ids[i] < 0)
            continue;
        slot = slot_of(places, (uint64_t)ids[i]);
        if (*slot == 0) {
            places->ids[places->count] = (uint64_t)ids[i];
            places->seen[places->count] = 0;
            *slot = ++places->count;
        }
        places->seen[*slot - 1]++;
    }
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* An id has 31 bits: it and its count are sorted as one number. */
void id_places_settle(struct id_places *places)
{
    for (uint32_t i = 0; i < places->count; i++)
        places->ids[i] = places->ids[i] << 32 | places->seen[i];
    qsort(places->ids, places->count, sizeof *places->ids, compare);
    for (uint32_t i = 0; i < places->count; i++) {
        places->seen[i] = (uint32_t)places->ids[i];
        places->ids[i] >>= 32;
    }
    memset(places->index, 0, places->index_size * sizeof *places->index);
    for (uint32_t i = 0; i < places->count; i++)
        *slot_of(places, places->ids[i]) = i + 1;
}

void id_places_map(const struct id_places *places, int32_t *ids, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ids[i] >= 0)
            ids[i] = (int32_t)*slot_of(places, (uint64_t)ids[i]) - 1;
}
