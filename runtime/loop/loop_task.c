#include "runtime/loop/loop_task.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/process/thread.h"
#include "runtime/loop/loop_watch.h"

static void *run_task(void *argument)
{
    const struct loop_task *task = argument;

    task->run(task->context);
    close(task->done);
    return NULL;
}

static void on_done(void *context)
{
    struct loop_task *task = context;

    pthread_join(task->thread, NULL);
    task->is_running = false;
    task->ended(task->context);
}

static void ignore_line(void *context, struct slice line)
{
    (void)context;
    (void)line;
}

enum status loop_task_start(struct loop *loop, struct loop_task *task, struct error *err)
{
    const struct line_reader reader = {.context = task, .on_line = ignore_line, .on_end = on_done};
    struct loop_lines *lines;
    enum status status;
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail_errno(err, STATUS_IO, "cannot make a pipe");
    task->done = ends[1];
    status = loop_read_lines(loop, ends[0], reader, &lines, err);
    if (status == STATUS_OK) {
        task->is_running = thread_start(&task->thread, run_task, task);
        if (task->is_running)
            return STATUS_OK;
        loop_lines_close(lines);
        status = fail(err, STATUS_LIMIT, "cannot start a thread");
    }
    close(ends[1]);
    return status;
}
