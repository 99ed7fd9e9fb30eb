/*
 * progress.h - how training goes, on standard error.
 *
 * auto: one redrawn line on a terminal that can; elsewhere plain lines, at most one a
 * second. json: one object a line, for programs. none: nothing, and no notices.
 */
#pragma once

#include "extension/engine/host/sink.h"
#include "runtime/launch/job_event.h"

/* NONE has notices, which tell of rows that are read or scored wrongly; QUIET has none of them. */
enum progress_mode { PROGRESS_AUTO, PROGRESS_JSON, PROGRESS_NONE, PROGRESS_QUIET };

struct progress {
    enum progress_mode mode;
    bool is_terminal;
    bool is_drawn;
    double last; /* seconds; when a plain line was written */
};

bool progress_find(struct slice name, enum progress_mode *mode);
void progress_init(struct progress *progress, enum progress_mode mode);
/* The functions of a sink. */
void progress_notice(void *progress, const char *line);
void progress_event(void *progress, const struct job_event *event);
/* Take the line off the terminal: something else is to be written. */
void progress_erase(struct progress *progress);
