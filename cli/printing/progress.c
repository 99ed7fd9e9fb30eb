#include "cli/printing/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cli/printing/report.h"
#include "extension/engine/jobs/progress.h"
#include "runtime/launch/job_event.h"

#define PLAIN_LINE_SECONDS 1.0

bool progress_find(struct slice name, enum progress_mode *mode)
{
    static const char *const names[] = {"auto", "json", "none"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (slice_is(name, names[i])) {
            *mode = (enum progress_mode)i;
            return true;
        }
    }
    return false;
}

void progress_init(struct progress *progress, enum progress_mode mode)
{
    *progress = (struct progress){
        .mode = mode, .is_terminal = report_is_to_terminal(), .last = -PLAIN_LINE_SECONDS};
}

void progress_erase(struct progress *progress)
{
    if (progress->is_drawn)
        fputs("\r\033[K", stderr);
    progress->is_drawn = false;
}

static void write_line(bool is_made, const struct text *line)
{
    if (is_made)
        fputs(text_string(line), stderr);
}

static void write_event(const struct job_event *event)
{
    struct text line;

    text_init(&line, LAUNCH_EVENT_BYTES_MAX);
    write_line(progress_json(event, &line), &line);
    text_deinit(&line);
}

static void write_notice(const char *message)
{
    struct text line;

    text_init(&line, LAUNCH_EVENT_BYTES_MAX);
    write_line(progress_notice_json(message, &line), &line);
    text_deinit(&line);
}

void progress_notice(void *self, const char *line)
{
    struct progress *progress = self;

    if (progress->mode == PROGRESS_QUIET)
        return;
    if (progress->mode != PROGRESS_JSON) {
        progress_erase(progress);
        fprintf(stderr, "NOTICE:  %s\n", line);
        return;
    }
    write_notice(line);
}

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void draw(struct progress *progress, const struct job_event *event)
{
    struct text line;

    if (!progress->is_terminal && seconds_now() - progress->last < PLAIN_LINE_SECONDS)
        return;
    text_init(&line, 512);
    progress_line(event, &line);
    if (progress->is_terminal)
        fprintf(stderr, "%.*s", progress_bytes_drawn(&line, STDERR_FILENO), text_string(&line));
    else
        fprintf(stderr, "%s\n", text_string(&line));
    text_deinit(&line);
    progress->is_drawn = progress->is_terminal;
    progress->last = seconds_now();
}

void progress_event(void *self, const struct job_event *event)
{
    struct progress *progress = self;

    if (progress->mode == PROGRESS_JSON)
        write_event(event);
    if (progress->mode != PROGRESS_AUTO)
        return;
    progress_erase(progress);
    if (event->kind == JOB_PROGRESS)
        draw(progress, event);
}
