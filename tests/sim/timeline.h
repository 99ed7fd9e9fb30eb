/*
 * timeline.h - the loop of all simulated worlds: virtual time, chance, failures and traces.
 *
 *     timeline_open, timeline_plan ...
 *     timeline_run                        the earliest event happens, and plans others
 *     timeline_close
 *
 * A world's struct event begins with a struct moment. Events of the same time happen in the order
 * in which they were planned: a seed is one history, and what is sent over one connection at one
 * time keeps its order. Time is counted in ticks, of which a world has as many a millisecond as it
 * wants.
 */
#pragma once

#include <stdio.h>

#include "base/error.h"
#include "base/text.h"

struct moment {
    int64_t at;
    uint64_t order;     /* among those at the same time */
    struct slice bytes; /* a frame: a copy, which lies behind the event */
};

struct timeline_options {
    uint64_t seed, stream; /* chance's: each world draws from a stream of its own */
    size_t event_size;
    int64_t ticks_per_ms;
    bool verbose; /* traces are shown */
};

struct timeline {
    struct timeline_options options;
    int64_t now;
    bool has_ended; /* set by the world: nothing happens any more */
    struct error failure;
    uint64_t draws, orders;
    struct moment **heap;
    size_t count, capacity;
};

void timeline_open(struct timeline *timeline, const struct timeline_options *options);
void timeline_close(struct timeline *timeline);

/* A number below `below`: the next that the seed gives. */
uint64_t timeline_draw(struct timeline *timeline, uint64_t below);

/* A new event, zeros behind its moment; it belongs to the timeline. */
void *timeline_plan(struct timeline *timeline, int64_t at, struct slice bytes);
/* The event that happens now happens later instead, before those that were planned after it. */
void timeline_put_off(struct timeline *timeline, void *event, int64_t at);

/* False: the event was put off. */
typedef bool timeline_happens(void *world, void *event);
/* Until the world has ended or failed, nothing is left to happen, or time is over: at `end`, or
 * when more has happened than any history needs. */
void timeline_run(struct timeline *timeline, int64_t end, timeline_happens *happens, void *world);

/* The first failure of a history stays, with its time. */
void timeline_fail(struct timeline *timeline, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void timeline_show_time(const struct timeline *timeline);

/* A line of a history that is shown, of a world with its timeline in `time`. */
#define TRACE(world, ...)                                                                          \
    do {                                                                                           \
        if ((world)->time.options.verbose) {                                                       \
            timeline_show_time(&(world)->time);                                                    \
            printf(__VA_ARGS__);                                                                   \
            putchar('\n');                                                                         \
        }                                                                                          \
    } while (0)
