#include "extension/sqlite/progress_pipe.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "extension/engine/jobs/progress.h"

/* The line is whole in the pipe, or not at all: a write of this size is not divided. */
#define LINE_BYTES_MAX 4096

static bool is_pipe(int descriptor)
{
    struct stat found;

    return descriptor >= 0 && fstat(descriptor, &found) == 0 && S_ISFIFO(found.st_mode);
}

bool progress_pipe_take(int descriptor)
{
    int flags;

    if (!is_pipe(descriptor))
        return false;
    flags = fcntl(descriptor, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY &&
           fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0;
}

/* A pipe that is full, or that nobody reads, loses the line. */
static void write_line(int descriptor, bool is_made, const struct text *line)
{
    if (is_made && line->size <= LINE_BYTES_MAX) {
        ssize_t written = write(descriptor, text_string(line), line->size);
        (void)written;
    }
}

void progress_pipe_event(int descriptor, const struct job_event *event)
{
    struct text line;

    if (!is_pipe(descriptor)) /* the number may belong to something else by now */
        return;
    text_init(&line, LAUNCH_EVENT_BYTES_MAX);
    write_line(descriptor, progress_json(event, &line), &line);
    text_deinit(&line);
}

void progress_pipe_notice(int descriptor, const char *message)
{
    struct text line;

    if (!is_pipe(descriptor))
        return;
    text_init(&line, LAUNCH_EVENT_BYTES_MAX);
    write_line(descriptor, progress_notice_json(message, &line), &line);
    text_deinit(&line);
}
