/*
 * loop_source.h - what calls back from the loop and is no role: the sockets of a library (libcurl),
 * and a timer.
 */
#pragma once

#include "runtime/loop/loop_parts.h"

/* `what` is LOOP_READ and LOOP_WRITE together; 0: the socket is not watched any more. */
enum { LOOP_READ = 1, LOOP_WRITE = 2 };
struct loop_source_calls {
    void *context;
    void (*on_socket)(void *context, int fd, unsigned what); /* NULL: it has none */
    void (*on_time)(void *context);
};
struct loop_source;

enum status loop_add_source(struct loop *loop, const struct loop_source_calls *calls,
                            struct loop_source **source, struct error *err);
void loop_remove_source(struct loop_source *source); /* before loop_free */
enum status loop_source_watch(struct loop_source *source, int fd, unsigned what, struct error *err);
/* on_time once, so many milliseconds from now and instead of before; -1: never. */
void loop_source_wake_in(struct loop_source *source, int64_t ms);
