#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/report.h"
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

static const char *event_name(enum job_event_kind kind)
{
    switch (kind) {
    case JOB_STARTED:
        return "started";
    case JOB_PROGRESS:
        return "progress";
    case JOB_NOTICE:
        return "notice";
    case JOB_DONE:
        return "done";
    default:
        return "failed";
    }
}

static void write_json(cJSON *object)
{
    struct text line;
    struct error ignored;

    text_init(&line, LAUNCH_EVENT_BYTES_MAX);
    if (json_print(object, false, &line, &ignored) == STATUS_OK)
        fprintf(stderr, "%s\n", text_string(&line));
    text_deinit(&line);
    cJSON_Delete(object);
}

static void json_event(const struct job_event *event)
{
    cJSON *object = cJSON_CreateObject();

    if (!object)
        return;
    json_add_string(object, "event", slice_of(event_name(event->kind)));
    json_add_integer(object, "epoch", event->epoch);
    json_add_integer(object, "epochs", event->epochs);
    json_add_integer(object, "step", (int64_t)event->step);
    json_add_integer(object, "steps", (int64_t)event->steps);
    json_add_integer(object, "workers", event->workers);
    json_add_real(object, "loss", event->loss);
    json_add_real(object, "validation_loss", event->validation_loss);
    json_add_real(object, "validation_score", event->validation_score);
    json_add_real(object, "rows_per_second", event->rows_per_second);
    json_add_real(object, "seconds", event->seconds);
    json_add_real(object, "seconds_left", event->seconds_left);
    write_json(object);
}

void progress_notice(void *self, const char *line)
{
    struct progress *progress = self;
    cJSON *object;

    if (progress->mode == PROGRESS_NONE)
        return;
    if (progress->mode == PROGRESS_AUTO) {
        progress_erase(progress);
        fprintf(stderr, "NOTICE:  %s\n", line);
        return;
    }
    object = cJSON_CreateObject();
    if (!object)
        return;
    json_add_string(object, "event", SLICE("notice"));
    json_add_string(object, "message", slice_of(line));
    write_json(object);
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
        json_event(event);
    if (progress->mode != PROGRESS_AUTO)
        return;
    progress_erase(progress);
    if (event->kind == JOB_PROGRESS)
        draw(progress, event);
}
