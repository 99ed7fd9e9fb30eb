#include "tests/sim/timeline.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

#define EVENTS_MAX 3000000 /* most events of a history */

void timeline_open(struct timeline *timeline, const struct timeline_options *options)
{
    *timeline = (struct timeline){.options = *options};
    error_clear(&timeline->failure);
}

void timeline_close(struct timeline *timeline)
{
    for (size_t i = 0; i < timeline->count; i++)
        free(timeline->heap[i]);
    free(timeline->heap);
}

uint64_t timeline_draw(struct timeline *timeline, uint64_t below)
{
    return random_bits(timeline->options.seed, RANDOM_SIMULATION, timeline->draws++,
                       timeline->options.stream) %
           below;
}

/* ------------------------------------------------------------ the queue */

static bool is_before(const struct moment *a, const struct moment *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void push(struct timeline *timeline, struct moment *event)
{
    size_t at = timeline->count++;

    if (timeline->count > timeline->capacity) {
        timeline->capacity = timeline->capacity ? 2 * timeline->capacity : 256;
        timeline->heap = realloc(timeline->heap, timeline->capacity * sizeof *timeline->heap);
        if (!timeline->heap)
            abort();
    }
    while (at > 0 && is_before(event, timeline->heap[(at - 1) / 2])) {
        timeline->heap[at] = timeline->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    timeline->heap[at] = event;
}

static struct moment *pop(struct timeline *timeline)
{
    struct moment *first = timeline->heap[0], *last = timeline->heap[--timeline->count];
    size_t at = 0;

    for (;;) {
        size_t child = 2 * at + 1;

        if (child >= timeline->count)
            break;
        if (child + 1 < timeline->count &&
            is_before(timeline->heap[child + 1], timeline->heap[child]))
            child++;
        if (!is_before(timeline->heap[child], last))
            break;
        timeline->heap[at] = timeline->heap[child];
        at = child;
    }
    if (timeline->count > 0)
        timeline->heap[at] = last;
    return first;
}

void *timeline_plan(struct timeline *timeline, int64_t at, struct slice bytes)
{
    struct moment *event = calloc(1, timeline->options.event_size + bytes.size);
    char *behind;

    if (!event)
        abort();
    behind = (char *)event + timeline->options.event_size;
    if (bytes.size > 0)
        memcpy(behind, bytes.data, bytes.size);
    *event = (struct moment){at, timeline->orders++, {behind, bytes.size}};
    push(timeline, event);
    return event;
}

void timeline_put_off(struct timeline *timeline, void *event, int64_t at)
{
    struct moment *moment = event;

    moment->at = at;
    push(timeline, moment);
}

/* ------------------------------------------------------------ the loop */

void timeline_run(struct timeline *timeline, int64_t end, timeline_happens *happens, void *world)
{
    for (uint64_t events = 0; timeline->count > 0 && events < EVENTS_MAX && !timeline->has_ended &&
                              timeline->failure.status == STATUS_OK && timeline->now < end;
         events++) {
        struct moment *event = pop(timeline);

        timeline->now = event->at;
        if (happens(world, event))
            free(event);
    }
}

static double now_ms(const struct timeline *timeline)
{
    return (double)timeline->now / (double)timeline->options.ticks_per_ms;
}

void timeline_fail(struct timeline *timeline, const char *format, ...)
{
    char what[256];
    va_list arguments;

    if (timeline->failure.status != STATUS_OK)
        return;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    fail(&timeline->failure, STATUS_FAILED, "%s (at %.3f ms)", what, now_ms(timeline));
}

void timeline_show_time(const struct timeline *timeline)
{
    printf("%10.3f ms  ", now_ms(timeline));
}
