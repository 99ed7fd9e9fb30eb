#include "k8s/share/share_room.h"

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static struct share_size largest(struct share_size a, struct share_size b)
{
    return (struct share_size){larger(a.millis, b.millis), larger(a.bytes, b.bytes)};
}

static struct share_size sum(struct share_size a, struct share_size b)
{
    return (struct share_size){a.millis + b.millis, a.bytes + b.bytes};
}

struct share_size share_room_size(const struct share_room *room)
{
    return sum(room->known, room->tried);
}

/* So much of `size` has no room in what is known. */
static struct share_size beyond(const struct share_room *room, const struct share_held *held,
                                struct share_size size)
{
    return (struct share_size){larger(held->size.millis + size.millis - room->known.millis, 0),
                               larger(held->size.bytes + size.bytes - room->known.bytes, 0)};
}

static bool note_shortage(struct share_room *room, int64_t now_ms, const struct share_held *held)
{
    const struct share_size before = share_room_size(room);
    int64_t rest_ms = SHARE_ROOM_REST_MS << (room->shortages < 6 ? room->shortages : 6);

    room->step = (struct share_size){0, 0};
    if (room->shortages == 0) /* twice the step is tried next */
        room->step = (struct share_size){larger(room->known.millis - held->size.millis, 0) / 2,
                                         larger(room->known.bytes - held->size.bytes, 0) / 2};
    room->known = held->size;
    room->tried = (struct share_size){0, 0};
    if (now_ms >= room->again_ms)
        room->shortages++;
    if (rest_ms > SHARE_ROOM_REST_MS_MAX)
        rest_ms = SHARE_ROOM_REST_MS_MAX;
    room->again_ms = larger(room->again_ms, now_ms + rest_ms);
    return held->size.millis < before.millis || held->size.bytes < before.bytes;
}

int64_t share_room_due(const struct share_room *room, const struct share_held *held)
{
    if (held->is_pending || (held->worker.millis == 0 && held->waits.millis == 0))
        return INT64_MAX;
    return larger(room->again_ms, room->tried_ms > 0 ? room->tried_ms + SHARE_ROOM_TRY_MS : 0);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* A place that a master had before says nothing of places for workers, which may need more than
 * processors. */
static void drop_rest(struct share_room *room, const struct share_held *held)
{
    const struct share_size gone = {
        smaller(larger(room->rest.millis - held->rest.millis, 0), room->counted.millis),
        smaller(larger(room->rest.bytes - held->rest.bytes, 0), room->counted.bytes)};

    room->known = (struct share_size){larger(room->known.millis - gone.millis, 0),
                                      larger(room->known.bytes - gone.bytes, 0)};
    room->counted.millis -= gone.millis;
    room->counted.bytes -= gone.bytes;
}

/* New places of masters that made `known` larger, by so much. */
static void count_rest(struct share_room *room, const struct share_held *held,
                       struct share_size growth)
{
    room->counted.millis +=
        smaller(larger(held->rest.millis - room->rest.millis, 0), growth.millis);
    room->counted.bytes += smaller(larger(held->rest.bytes - room->rest.bytes, 0), growth.bytes);
}

bool share_room_note(struct share_room *room, int64_t now_ms, const struct share_held *held)
{
    const struct share_size before = share_room_size(room);

    drop_rest(room, held);
    if (held->is_short) {
        room->rest = room->counted = held->rest;
        return note_shortage(room, now_ms, held);
    }
    if (held->size.millis >= share_room_size(room).millis && room->tried.millis > 0)
        room->shortages = 0; /* all that was tried has a place */
    if (held->size.millis > room->known.millis || held->size.bytes > room->known.bytes) {
        const struct share_size known = largest(room->known, held->size);

        room->tried.millis = larger(room->tried.millis - (known.millis - room->known.millis), 0);
        room->tried.bytes = larger(room->tried.bytes - (known.bytes - room->known.bytes), 0);
        count_rest(room, held,
                   (struct share_size){known.millis - room->known.millis,
                                       known.bytes - room->known.bytes});
        room->known = known;
    }
    room->rest = held->rest;
    /* Minimums come at once: nobody waits for a first step while there may be room. */
    if (now_ms >= room->again_ms)
        room->tried = largest(room->tried,
                              beyond(room, held, room->again_ms == 0 ? held->lacks : held->waits));
    if (now_ms >= share_room_due(room, held)) {
        room->step =
            largest(held->worker, (struct share_size){2 * room->step.millis, 2 * room->step.bytes});
        room->tried = largest(room->tried, room->step);
        room->tried_ms = now_ms;
    }
    return share_room_size(room).millis > before.millis;
}
