/*
 * log_lines.h - the lines of a container's log, each of them once.
 *
 *     bytes of an answer, each line with its time --> log_lines --> lines that are new
 *
 * A log is followed over many answers: connections are cut, containers start again, pods are
 * replaced. Each answer begins again at the second of the last line; what was taken before is
 * known by its time, and of several lines of the same time by their number. Pure.
 */
#pragma once

#include <stdint.h>

#include "base/text.h"

#define LOG_LINE_BYTES_MAX ((size_t)128 << 10) /* a longer one is cut there */

struct log_lines {
    void *context;
    void (*on_line)(void *context, struct slice line); /* without its time */

    bool has_taken;
    int64_t seconds; /* time of the last line taken, since 1970 */
    uint32_t nanoseconds;
    uint32_t taken;  /* lines of that time */
    uint32_t passed; /* lines of that time in this answer */
    bool is_cut;     /* the rest of the line is dropped */
    struct text pending;
};

void log_lines_init(struct log_lines *lines, void *context,
                    void (*on_line)(void *context, struct slice line));
void log_lines_deinit(struct log_lines *lines);

/* A new answer begins: what was pending of the one before comes again. */
void log_lines_begin(struct log_lines *lines);
void log_lines_take(struct log_lines *lines, struct slice bytes);
/* The answer was whole: a last line without an end is one, too. */
void log_lines_end(struct log_lines *lines);

/* Where the next answer is to begin (api_log.since); empty: at the beginning. */
struct slice log_lines_since(const struct log_lines *lines, char text[32]);
