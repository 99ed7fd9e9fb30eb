#include "k8s/submit/journal_reader.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process/log.h"
#include "runtime/launch/spawn.h"
#include "runtime/loop/loop_source.h"
#include "runtime/loop/loop_watch.h"

#define AGAIN_MS 5000 /* after one that ended */

struct journal_reader {
    struct loop *loop;
    const char *folder;
    void *context;
    void (*on_line)(void *context, struct slice line);
    struct loop_source *timer;
    struct loop_lines *lines;
    pid_t pid; /* 0: none runs */
};

static void on_line(void *context, struct slice line)
{
    struct journal_reader *reader = context;

    reader->on_line(reader->context, line);
}

static void stop(struct journal_reader *reader)
{
    if (reader->pid <= 0)
        return;
    kill(reader->pid, SIGKILL);
    waitpid(reader->pid, NULL, 0);
    reader->pid = 0;
}

static void on_end(void *context)
{
    struct journal_reader *reader = context;

    reader->lines = NULL; /* the loop has closed it */
    stop(reader);
    log_warning("the reader of the job's journal has ended, another is started");
    loop_source_wake_in(reader->timer, AGAIN_MS);
}

static enum status spawn_into(struct journal_reader *reader, int out, struct error *err)
{
    char *arguments[] = {"totrain", "journal", (char *)(uintptr_t)reader->folder, NULL};
    char log[PATH_MAX + 8];
    const struct spawn spawn = {
        .program = "/proc/self/exe", .arguments = arguments, .in = -1, .out = out, .log = log};

    snprintf(log, sizeof log, "%s/log", reader->folder);
    return spawn_process(&spawn, &reader->pid, err);
}

static enum status start_reader(struct journal_reader *reader, struct error *err)
{
    const struct line_reader lines = {.context = reader, .on_line = on_line, .on_end = on_end};
    enum status status;
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail_errno(err, STATUS_IO, "cannot make a pipe");
    status = spawn_into(reader, ends[1], err);
    close(ends[1]);
    if (status != STATUS_OK) {
        close(ends[0]);
        return status;
    }
    status = loop_read_lines(reader->loop, ends[0], lines, &reader->lines, err);
    if (status != STATUS_OK)
        stop(reader);
    return status;
}

static void on_time(void *context)
{
    struct journal_reader *reader = context;
    struct error err;

    error_clear(&err);
    if (start_reader(reader, &err) == STATUS_OK)
        return;
    log_warning("the job's journal is not read: %s", err.message);
    loop_source_wake_in(reader->timer, AGAIN_MS);
}

enum status journal_reader_open(struct loop *loop, const char *folder, void *context,
                                void (*take)(void *context, struct slice line),
                                struct journal_reader **out, struct error *err)
{
    struct journal_reader *reader = calloc(1, sizeof *reader);
    const struct loop_source_calls calls = {reader, NULL, on_time};
    enum status status;

    if (!reader)
        return fail_no_memory(err);
    *reader = (struct journal_reader){
        .loop = loop, .folder = folder, .context = context, .on_line = take};
    status = loop_add_source(loop, &calls, &reader->timer, err);
    if (status != STATUS_OK) {
        free(reader);
        return status;
    }
    loop_source_wake_in(reader->timer, 0);
    *out = reader;
    return STATUS_OK;
}

void journal_reader_close(struct journal_reader *reader)
{
    if (!reader)
        return;
    stop(reader);
    if (reader->lines)
        loop_lines_close(reader->lines);
    loop_remove_source(reader->timer);
    free(reader);
}
