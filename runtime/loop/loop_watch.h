/*
 * loop_watch.h - signals, the lines of a pipe, and listeners that are not a role's.
 */
#pragma once

#include "runtime/loop/loop_parts.h"

struct loop_lines;

/* Asks the roles for work again at that time (of loop_now_us), to some
 * microseconds; the last call counts. */
void loop_wake_at(struct loop *loop, int64_t at_us);
enum status loop_read_lines(struct loop *loop, int fd, struct line_reader reader,
                            struct loop_lines **lines, struct error *err);
int loop_lines_fd(const struct loop_lines *lines);
void loop_lines_close(struct loop_lines *lines);

/* Clients of this Unix address may send lines to `reader`. */
enum status loop_listen_lines(struct loop *loop, const char *address, struct line_reader reader,
                              struct error *err);

enum status loop_on_signal(struct loop *loop, int number, void (*call)(void *context),
                           void *context, struct error *err);

void loop_free_watches(struct loop *loop);
