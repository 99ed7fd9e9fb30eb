#include "scoring/row_copies.h"

#include <stdlib.h>

#define ROOM_LEAST 256

void row_copies_deinit(struct row_copies *copies)
{
    free(copies->places);
    *copies = (struct row_copies){.places = NULL};
}

/* The place of the hash, or the free one where it belongs. */
static struct row_copy *place_of(const struct row_copies *copies, uint64_t hash)
{
    size_t place = hash & (copies->room - 1);

    while (copies->places[place].count > 0 && copies->places[place].hash != hash)
        place = (place + 1) & (copies->room - 1);
    return &copies->places[place];
}

static enum status grow(struct row_copies *copies, struct error *err)
{
    struct row_copies more = {.count = copies->count,
                              .room = copies->room ? 2 * copies->room : ROOM_LEAST};

    more.places = calloc(more.room, sizeof *more.places);
    if (!more.places)
        return fail_no_memory(err);
    for (size_t i = 0; i < copies->room; i++)
        if (copies->places[i].count > 0)
            *place_of(&more, copies->places[i].hash) = copies->places[i];
    free(copies->places);
    *copies = more;
    return STATUS_OK;
}

enum status row_copies_add(struct row_copies *copies, uint64_t hash, uint64_t *before,
                           struct error *err)
{
    struct row_copy *place;

    if (2 * copies->count >= copies->room && copies->count < COPIES_ROWS_MAX)
        TRY(grow(copies, err));
    place = place_of(copies, hash);
    *before = place->count;
    if (place->count == 0 && copies->count >= COPIES_ROWS_MAX)
        return STATUS_OK;
    copies->count += place->count == 0;
    *place = (struct row_copy){hash, place->count + 1};
    return STATUS_OK;
}
