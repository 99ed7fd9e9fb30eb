/*
 * loop_guest.h - sockets of a library in the loop, and a call at a time.
 */
#ifndef RUNTIME_LOOP_LOOP_GUEST_H
#define RUNTIME_LOOP_LOOP_GUEST_H

#include "runtime/loop/loop_parts.h"

struct loop_guest;

enum status loop_add_guest(struct loop *loop, const struct guest_calls *calls,
                           struct loop_guest **guest, struct error *err);
void loop_remove_guest(struct loop_guest *guest); /* before loop_free */
enum status loop_guest_watch(struct loop_guest *guest, int fd, unsigned what, struct error *err);
/* on_time once, so many milliseconds from now and instead of before; -1: never. */
void loop_guest_wake_in(struct loop_guest *guest, int64_t ms);

#endif
