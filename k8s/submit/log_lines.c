#include "k8s/submit/log_lines.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "k8s/client/exec_plugin.h"

#define NANOSECOND_DIGITS 9

void log_lines_init(struct log_lines *lines, void *context,
                    void (*on_line)(void *context, struct slice line))
{
    *lines = (struct log_lines){.context = context, .on_line = on_line};
    text_init(&lines->pending, LOG_LINE_BYTES_MAX);
}

void log_lines_deinit(struct log_lines *lines)
{
    text_deinit(&lines->pending);
}

void log_lines_begin(struct log_lines *lines)
{
    text_clear(&lines->pending);
    lines->pending.failed = false;
    lines->is_cut = false;
    lines->passed = 0;
}

static uint32_t nanoseconds_of(struct slice time)
{
    const char *dot = memchr(time.data, '.', time.size);
    const char *end = time.data + time.size;
    uint32_t value = 0;

    if (!dot)
        return 0;
    for (int i = 0; i < NANOSECOND_DIGITS; i++) {
        const bool has_digit = dot + 1 < end && dot[1] >= '0' && dot[1] <= '9';

        value = value * 10 + (has_digit ? (uint32_t)(dot[1] - '0') : 0);
        dot += has_digit;
    }
    return value;
}

/* Later than what was taken, or one more of the same time. */
static bool is_new(struct log_lines *lines, int64_t seconds, uint32_t nanoseconds)
{
    if (!lines->has_taken || seconds > lines->seconds ||
        (seconds == lines->seconds && nanoseconds > lines->nanoseconds)) {
        lines->has_taken = true;
        lines->seconds = seconds;
        lines->nanoseconds = nanoseconds;
        lines->taken = lines->passed = 1;
        return true;
    }
    if (seconds < lines->seconds || nanoseconds < lines->nanoseconds)
        return false;
    if (++lines->passed <= lines->taken)
        return false;
    lines->taken = lines->passed;
    return true;
}

static void take_line(struct log_lines *lines, struct slice line)
{
    const char *blank = line.size > 0 ? memchr(line.data, ' ', line.size) : NULL;
    struct slice time;
    int64_t seconds;

    if (!blank)
        return;
    time = (struct slice){line.data, (size_t)(blank - line.data)};
    /* A line without a time is not of the log, but the server's message about it. */
    if (!exec_plugin_time(time, &seconds) || !is_new(lines, seconds, nanoseconds_of(time)))
        return;
    lines->on_line(lines->context, (struct slice){blank + 1, line.size - time.size - 1});
}

static void append(struct log_lines *lines, struct slice bytes)
{
    if (lines->is_cut)
        return;
    text_append(&lines->pending, bytes);
    lines->is_cut = lines->pending.failed;
    lines->pending.failed = false;
}

static void end_line(struct log_lines *lines)
{
    take_line(lines, text_slice(&lines->pending));
    text_clear(&lines->pending);
    lines->is_cut = false;
}

void log_lines_take(struct log_lines *lines, struct slice bytes)
{
    while (bytes.size > 0) {
        const char *newline = memchr(bytes.data, '\n', bytes.size);
        const size_t size = newline ? (size_t)(newline - bytes.data) : bytes.size;

        append(lines, (struct slice){bytes.data, size});
        if (!newline)
            return;
        end_line(lines);
        bytes.data += size + 1;
        bytes.size -= size + 1;
    }
}

void log_lines_end(struct log_lines *lines)
{
    if (lines->pending.size > 0)
        end_line(lines);
}

struct slice log_lines_since(const struct log_lines *lines, char text[32])
{
    const time_t seconds = (time_t)lines->seconds;
    struct tm parts;

    if (!lines->has_taken || !gmtime_r(&seconds, &parts))
        return SLICE("");
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return slice_of(text);
}
