/*
 * loop_parts.h - what loop.c and loop_watch.c share.
 */
#ifndef RUNTIME_LOOP_PARTS_H
#define RUNTIME_LOOP_PARTS_H

#include "runtime/loop.h"

struct event;
struct event_base;
struct loop_role;
struct parcel;
struct watch;

struct loop {
    struct event_base *base;
    struct event *tick;
    struct loop_role *roles;
    struct parcel *parcels, **parcels_end; /* first to last */
    struct loop_lines *lines;
    struct watch *watches; /* signals, listeners */
    void (*tick_call)(void *context, int64_t now_ms);
    void *tick_context;
    struct event *waker; /* a timer descriptor; NULL until it is needed */
    bool is_stopped;
    enum status how;
    struct error reason;
};

void loop_free_watches(struct loop *loop);

#endif
