#include "runtime/score/deadlines.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum status deadlines_init(struct deadlines *deadlines, uint32_t capacity, struct error *err)
{
    *deadlines = (struct deadlines){.capacity = capacity};
    deadlines->heap = malloc(capacity * sizeof *deadlines->heap);
    deadlines->places = malloc(capacity * sizeof *deadlines->places);
    deadlines->at = malloc(capacity * sizeof *deadlines->at);
    if (!deadlines->heap || !deadlines->places || !deadlines->at) {
        deadlines_deinit(deadlines);
        return fail_no_memory(err);
    }
    memset(deadlines->places, 0xff, capacity * sizeof *deadlines->places);
    return STATUS_OK;
}

void deadlines_deinit(struct deadlines *deadlines)
{
    free(deadlines->heap);
    free(deadlines->places);
    free(deadlines->at);
    *deadlines = (struct deadlines){.count = 0};
}

static bool is_before(const struct deadlines *deadlines, uint32_t key, uint32_t other)
{
    return deadlines->at[key] < deadlines->at[other] ||
           (deadlines->at[key] == deadlines->at[other] && key < other);
}

static void set(struct deadlines *deadlines, uint32_t place, uint32_t key)
{
    deadlines->heap[place] = key;
    deadlines->places[key] = place;
}

static void rise(struct deadlines *deadlines, uint32_t place)
{
    const uint32_t key = deadlines->heap[place];

    while (place > 0 && is_before(deadlines, key, deadlines->heap[(place - 1) / 2])) {
        set(deadlines, place, deadlines->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
        deadlines->steps++;
    }
    set(deadlines, place, key);
}

static void sink(struct deadlines *deadlines, uint32_t place)
{
    const uint32_t key = deadlines->heap[place];

    for (;;) {
        uint32_t child = 2 * place + 1;

        if (child + 1 < deadlines->count &&
            is_before(deadlines, deadlines->heap[child + 1], deadlines->heap[child]))
            child++;
        if (child >= deadlines->count || !is_before(deadlines, deadlines->heap[child], key))
            break;
        set(deadlines, place, deadlines->heap[child]);
        place = child;
        deadlines->steps++;
    }
    set(deadlines, place, key);
}

void deadlines_put(struct deadlines *deadlines, uint32_t key, int64_t at)
{
    assert(key < deadlines->capacity);
    deadlines->at[key] = at;
    if (deadlines->places[key] == DEADLINES_NONE)
        set(deadlines, deadlines->count++, key);
    rise(deadlines, deadlines->places[key]);
    sink(deadlines, deadlines->places[key]);
}

void deadlines_remove(struct deadlines *deadlines, uint32_t key)
{
    const uint32_t place = deadlines->places[key];
    const uint32_t last = deadlines->heap[deadlines->count - 1];

    assert(place != DEADLINES_NONE);
    deadlines->count--;
    deadlines->places[key] = DEADLINES_NONE;
    if (last == key)
        return;
    set(deadlines, place, last);
    rise(deadlines, place);
    sink(deadlines, deadlines->places[last]);
}

uint32_t deadlines_first(const struct deadlines *deadlines)
{
    return deadlines->count ? deadlines->heap[0] : DEADLINES_NONE;
}
