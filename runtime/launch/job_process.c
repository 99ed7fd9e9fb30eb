#include "runtime/launch/job_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "jobspec/jobspec.h"
#include "runtime/launch/control.h"
#include "runtime/launch/job_event.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/job_spec.h"
#include "runtime/launch/spawn.h"

#define CLOSE_MS_MAX 5000 /* the promise: nothing of a job lives longer */

static const char cancel_line[] = "cancel\n";

static void close_both(int pair[2])
{
    for (int i = 0; i < 2; i++) {
        if (pair[i] >= 0)
            close(pair[i]);
        pair[i] = -1;
    }
}

enum status job_launch(const char *program, const struct job_folder *folder,
                       const struct jobspec *spec, struct job_process *process, struct error *err)
{
    TRY(job_write_spec(folder, spec, err));
    return job_relaunch(program, folder, process, err);
}

enum status job_relaunch(const char *program, const struct job_folder *folder,
                         struct job_process *process, struct error *err)
{
    /* A socket, so that writing to a supervisor that is gone raises no signal
     * in the database that hosts us. */
    int lifeline[2] = {-1, -1}, events[2] = {-1, -1};
    enum status status;

    *process = (struct job_process){.pid = -1, .lifeline = -1, .events = -1};
    text_init(&process->pending, 2 * LAUNCH_EVENT_BYTES_MAX);
    TRY(job_folder_file(folder, "log", process->log, err));
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, lifeline) != 0 ||
        pipe2(events, O_CLOEXEC) != 0) {
        status = fail_errno(err, STATUS_IO, "cannot make a pipe");
        close_both(lifeline);
        return status;
    }
    status = spawn_supervisor(program, folder->path, process->log, lifeline[0], events[1],
                              &process->pid, err);
    if (status != STATUS_OK) {
        close_both(lifeline);
        close_both(events);
        return status;
    }
    close(lifeline[0]);
    close(events[1]);
    process->lifeline = lifeline[1];
    process->events = events[0];
    return STATUS_OK;
}

/* Children inherit it. Mapped files, such as the rows, do not count. */
enum status job_limit_memory(const struct job_process *process, uint64_t bytes, struct error *err)
{
    const struct rlimit limit = {bytes, bytes};

    if (prlimit(process->pid, RLIMIT_DATA, &limit, NULL) == 0)
        return STATUS_OK;
    return fail_errno(err, STATUS_FAILED, "the job's memory cannot be limited");
}

/* A whole line out of what was read; false when there is none yet. */
static bool take_line(struct job_process *process, struct job_event *event, enum status *status,
                      struct error *err)
{
    struct text *pending = &process->pending;
    char *newline = pending->size ? memchr(pending->data, '\n', pending->size) : NULL;
    size_t size;

    if (!newline)
        return false;
    size = (size_t)(newline - pending->data) + 1;
    *status = job_event_read((struct slice){pending->data, size - 1}, event, err);
    memmove(pending->data, pending->data + size, pending->size - size);
    pending->size -= size;
    if (*status == STATUS_OK && (event->kind == JOB_DONE || event->kind == JOB_FAILED))
        process->ended = true;
    return true;
}

static void reap(struct job_process *process, int *how)
{
    *how = 0;
    while (process->pid > 0 && waitpid(process->pid, how, 0) < 0 && errno == EINTR)
        ;
    process->pid = -1;
}

static enum status ended_silently(struct job_process *process, struct error *err)
{
    int how;

    close(process->events);
    process->events = -1;
    process->ended = true;
    reap(process, &how);
    if (WIFSIGNALED(how))
        fail(err, STATUS_FAILED, "the job's supervisor was killed by signal %d", WTERMSIG(how));
    else
        fail(err, STATUS_FAILED, "the job's supervisor ended with code %d and no result",
             WEXITSTATUS(how));
    return error_hint(err, "Its log is %s.", process->log);
}

enum status job_next_event(struct job_process *process, int timeout_ms, struct job_event *event,
                           bool *has_event, struct error *err)
{
    struct pollfd wait = {.fd = process->events, .events = POLLIN};
    char bytes[4096];
    enum status status = STATUS_OK;
    ssize_t size;

    *has_event = take_line(process, event, &status, err);
    if (*has_event || process->ended)
        return status;
    if (poll(&wait, 1, timeout_ms) <= 0)
        return STATUS_OK; /* nothing yet, or a signal that the caller wants to look at */
    size = read(process->events, bytes, sizeof bytes);
    if (size < 0 && (errno == EINTR || errno == EAGAIN))
        return STATUS_OK;
    if (size <= 0)
        return ended_silently(process, err);
    text_append(&process->pending, (struct slice){bytes, (size_t)size});
    if (process->pending.failed)
        return fail(err, STATUS_PROTOCOL, "the supervisor wrote a line of more than %zu bytes",
                    process->pending.maximum);
    *has_event = take_line(process, event, &status, err);
    return status;
}

bool job_report(struct job_process *process, struct slice line)
{
    /* It is writable while three quarters of its buffer are free: more than any line. */
    struct pollfd lifeline = {.fd = process->lifeline, .events = POLLOUT};
    struct iovec parts[] = {{"report ", 7}, {(char *)(uintptr_t)line.data, line.size}, {"\n", 1}};
    const struct msghdr message = {.msg_iov = parts, .msg_iovlen = 3};

    return process->lifeline >= 0 && poll(&lifeline, 1, 0) > 0 &&
           sendmsg(process->lifeline, &message, MSG_NOSIGNAL) > 0;
}

void job_looked(struct job_process *process)
{
    static const char line[] = "looked\n";

    if (process->lifeline >= 0)
        (void)send(process->lifeline, line, sizeof line - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void job_cancel(struct job_process *process)
{
    if (process->lifeline >= 0)
        (void)send(process->lifeline, cancel_line, sizeof cancel_line - 1, MSG_NOSIGNAL);
}

void job_fail(struct job_process *process, const char *why)
{
    char line[600];
    const int size = snprintf(line, sizeof line, "fail %.500s\n", why);

    if (process->lifeline >= 0)
        (void)send(process->lifeline, line, (size_t)size, MSG_NOSIGNAL);
}

/* Its pipe of events closes as it ends; events until then are dropped. */
static bool wait_for_end(int events)
{
    struct pollfd wait = {.fd = events, .events = POLLIN};
    char bytes[4096];
    ssize_t size = 1;

    do {
        int ready = poll(&wait, 1, CLOSE_MS_MAX);

        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return false;
        size = read(events, bytes, sizeof bytes);
    } while (size > 0);
    return true;
}

void job_close(struct job_process *process)
{
    int how;

    if (process->lifeline >= 0)
        close(process->lifeline);
    process->lifeline = -1;
    if (process->pid > 0) {
        if (process->events < 0 || !wait_for_end(process->events))
            kill(process->pid, SIGKILL);
        reap(process, &how);
    }
    if (process->events >= 0)
        close(process->events);
    process->events = -1;
    process->ended = true;
    text_deinit(&process->pending);
}

static enum status ask_for_number(const char *state, int64_t id, const char *what, int64_t number,
                                  struct error *err)
{
    struct job_folder folder;
    char line[48];
    enum status status;

    TRY(job_folder_find(state, id, &folder, err));
    snprintf(line, sizeof line, "%s %lld\n", what, (long long)number);
    status = control_ask(folder.path, line, err);
    if (status == STATUS_NOT_FOUND)
        return fail(err, STATUS_INVALID, "job %lld has ended already", (long long)id);
    if (status == STATUS_PERMISSION)
        return fail(err, STATUS_PERMISSION, "job %lld is not yours", (long long)id);
    return status;
}

enum status job_scale_by_id(const char *state, int64_t id, int64_t workers, struct error *err)
{
    return ask_for_number(state, id, "scale", workers, err);
}

enum status job_scale_servers_by_id(const char *state, int64_t id, int64_t servers,
                                    struct error *err)
{
    return ask_for_number(state, id, "servers", servers, err);
}

enum status job_cancel_by_id(const char *state, int64_t id, struct error *err)
{
    struct job_folder folder;
    int control;
    bool sent;

    TRY(job_folder_find(state, id, &folder, err));
    control = control_connect(folder.path);
    if (control < 0 && (errno == EACCES || errno == EPERM))
        return fail(err, STATUS_PERMISSION, "job %lld is not yours", (long long)id);
    if (control < 0)
        return fail(err, STATUS_INVALID, "job %lld has ended already", (long long)id);
    sent = send(control, cancel_line, sizeof cancel_line - 1, MSG_NOSIGNAL) > 0;
    close(control);
    if (!sent)
        return fail(err, STATUS_INVALID, "job %lld has ended already", (long long)id);
    return STATUS_OK;
}
