#include "runtime/process/supervise/supervise.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process/log.h"
#include "runtime/launch/control.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/job_lock.h"
#include "runtime/loop/loop_watch.h"
#include "runtime/process/role/roles.h"
#include "runtime/process/supervise/supervise_alone.h"
#include "runtime/process/supervise/supervise_children.h"
#include "runtime/process/supervise/supervise_publish.h"
#include "runtime/record/outbox_executor.h"

#define LAST_WORD_MS 2000

void supervise_say(const struct job_event *event, struct slice line)
{
    bool is_last = event->kind == JOB_DONE || event->kind == JOB_FAILED;
    struct pollfd door = {.fd = SUPERVISE_EVENTS, .events = POLLOUT};

    /* A pipe that takes something takes a whole line of at most PIPE_BUF. */
    if (poll(&door, 1, is_last ? LAST_WORD_MS : 0) <= 0)
        return;
    if (write(SUPERVISE_EVENTS, line.data, line.size) < 0)
        log_debug("the door is gone");
}

static void on_end(void *context)
{
    struct supervise_watch *watch = context;
    watch->cancel(watch->context);
}

static void on_failure(struct supervise_watch *watch, struct slice reason)
{
    struct error why;

    error_clear(&why);
    fail(&why, STATUS_FAILED, "%.*s", SLICE_FORMAT(reason));
    if (watch->fail)
        watch->fail(watch->context, &why);
    else
        watch->cancel(watch->context);
}

/* *rest: the line behind the word. */
static bool has_word(struct slice line, struct slice word, struct slice *rest)
{
    if (line.size <= word.size || memcmp(line.data, word.data, word.size) != 0)
        return false;
    *rest = (struct slice){line.data + word.size, line.size - word.size};
    return true;
}

static void on_line(void *context, struct slice line)
{
    struct slice reason;

    if (slice_is(line, "cancel"))
        on_end(context);
    else if (has_word(line, SLICE("fail "), &reason))
        on_failure(context, reason);
}

bool supervise_hear(const struct supervise_watch *watch, struct slice line)
{
    struct slice report;

    if (watch->report && has_word(line, SLICE("report "), &report))
        watch->report(watch->context, report);
    else if (watch->looked && slice_is(line, "looked"))
        watch->looked(watch->context);
    else
        return false;
    return true;
}

static void on_lifeline(void *context, struct slice line)
{
    if (!supervise_hear(context, line))
        on_line(context, line);
}

static bool is_request(struct slice line, struct slice name, int64_t *number)
{
    struct slice digits;

    return has_word(line, name, &digits) && slice_to_integer(digits, number);
}

static enum status scale_servers(const struct supervise_watch *watch, int64_t servers,
                                 struct error *err)
{
    if (watch->scale_servers)
        return watch->scale_servers(watch->context, servers, err);
    return fail(err, STATUS_UNSUPPORTED,
                "the number of parameter servers does not change where this job runs");
}

/* From the control socket. An unknown request is not answered: an older
 * supervisor must not confirm one of a newer client. */
static void on_request(void *context, struct slice line, struct text *reply)
{
    struct supervise_watch *watch = context;
    int64_t number;
    struct error err;

    error_clear(&err);
    if (is_request(line, SLICE("scale "), &number)) {
        (void)watch->scale(watch->context, number, &err);
    } else if (is_request(line, SLICE("servers "), &number)) {
        (void)scale_servers(watch, number, &err);
    } else {
        on_line(context, line);
        return;
    }
    control_write_reply(&err, reply);
}

static void on_nothing(void *context)
{
    (void)context;
}

static void on_stop(void *context)
{
    struct supervise_watch *watch = context;
    struct error err;

    error_clear(&err);
    fail(&err, STATUS_CONNECTION, "stopped; the job can be continued");
    log_warning("%s", err.message);
    watch->is_stopped = true;
    loop_stop(watch->loop, STATUS_CONNECTION, &err);
}

static void say_event(void *context, const struct job_event *event, struct slice line)
{
    (void)context;
    supervise_say(event, line);
}

/* The session goes on when it has read this. */
static void say_first_word(void)
{
    struct outbox_executor voice = {.say = say_event};
    struct job_event event = {.kind = JOB_NOTICE, .message = "the job goes on by itself"};
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    outbox_executor_say(&voice, &event);
    if (nowhere >= 0)
        (void)dup2(nowhere, SUPERVISE_EVENTS);
}

static enum status watch_lifeline(struct loop *loop, struct supervise_watch *watch,
                                  struct error *err)
{
    struct line_reader lifeline = {
        .context = watch, .on_line = on_lifeline, .on_end = watch->is_kept ? on_stop : on_end};

    if (loop_read_lines(loop, SUPERVISE_LIFELINE, lifeline, NULL, err) == STATUS_OK)
        return STATUS_OK;
    fail(err, STATUS_INVALID, "standard input cannot be waited for");
    return error_hint(err, "It is the lifeline: a pipe, a socket or a terminal, whose end "
                           "cancels the job.");
}

enum status supervise_watch(struct loop *loop, const char *sockets, struct supervise_watch *watch,
                            struct error *err)
{
    struct line_reader control = {.context = watch, .on_request = on_request, .on_end = on_nothing};
    const bool stops = watch->is_detached || watch->is_kept;
    char address[MESSAGE_ADDRESS_MAX + 1];

    watch->loop = loop;
    snprintf(address, sizeof address, "unix:%s/control", sockets);
    TRY(loop_listen_lines(loop, address, control, err));
    TRY(loop_on_signal(loop, SIGINT, on_end, watch, err));
    TRY(loop_on_signal(loop, SIGTERM, stops ? on_stop : on_end, watch, err));
    if (!watch->is_detached)
        return watch_lifeline(loop, watch, err);
    say_first_word();
    return STATUS_OK;
}

/* Reports a failure before there is a master. */
static int fail_early(const struct error *err)
{
    struct outbox_executor voice = {.say = say_event};

    log_error("%s", err->message);
    outbox_executor_say_failed(&voice, err);
    return status_exit_code(err->status);
}

/* The door does the same when it is still there. */
static void clean(const char *path)
{
    struct job_folder folder = {.lock = 0};

    snprintf(folder.path, sizeof folder.path, "%s", path);
    job_folder_clean(&folder);
}

static bool read_books(const struct job *job, struct job_row *row)
{
    struct jobstore *store;
    char path[PATH_MAX + 8];
    bool has_row;

    snprintf(path, sizeof path, "%s/job.db", job->folder);
    if (access(path, F_OK) != 0 || jobstore_open(path, true, &store, NULL) != STATUS_OK)
        return false; /* opening it to write will report what is wrong */
    has_row = jobstore_get_job(store, row, NULL) == STATUS_OK;
    jobstore_close(store);
    return has_row;
}

/* For a folder of a job that has ended: its end is reported again, and nothing is started. */
static bool ended_before(const struct job *job, struct job_row *row)
{
    return read_books(job, row) && row->state >= JOB_STATE_DONE && !supervise_must_publish(job);
}

static enum status check(const struct job *job, const struct role_options *options,
                         struct error *err)
{
    if (options->listen && job->spec.in_one_process)
        return fail(err, STATUS_INVALID, "a job in one process has no network");
    return STATUS_OK;
}

/* Whether the job has ended: its model is there, or never will be. */
static bool has_ended(const struct job *job)
{
    struct job_row row;

    return read_books(job, &row) && row.state >= JOB_STATE_PUBLISHING;
}

/* A detached job has no other process that publishes its model, or drops the tables after a
 * failure. */
static int run_elsewhere(const struct job *job, const struct role_options *options,
                         const char *sockets)
{
    int code = 0, published;

    if (!options->is_detached)
        return options->run_elsewhere(job, sockets, false);
    if (!has_ended(job))
        code = options->run_elsewhere(job, sockets, true);
    if (!has_ended(job))
        return code; /* stopped */
    published = supervise_publish(job, sockets, true, true);
    return code ? code : published;
}

static int run_stages(const struct job *job, const struct role_options *options,
                      const char *sockets)
{
    const bool is_detached = options->is_detached;
    int code = 0;

    if (options->run_elsewhere)
        return run_elsewhere(job, options, sockets);
    if (!supervise_must_publish(job))
        code = job->spec.in_one_process
                   ? supervise_alone(job, sockets, is_detached)
                   : supervise_children(job, sockets, options->listen, is_detached);
    if (code == 0 && supervise_must_publish(job))
        code = supervise_publish(job, sockets, is_detached, false);
    return code;
}

/* A detached job that was only stopped needs its files again, so they stay; of one with a lifeline
 * the process that follows it decides when it has ended. */
static void tidy_up(const struct job *job, const struct role_options *options)
{
    struct job_row row;

    if (job_is_kept(job->folder)) {
        if (!options->is_detached || !read_books(job, &row) || row.state < JOB_STATE_DONE) {
            control_folder_remove(job->folder);
            return;
        }
        job_let_go(job->folder);
    }
    if (options->is_detached && !supervise_must_publish(job))
        job_release_rows(job->folder);
    clean(job->folder);
}

static int supervise(const struct job *job, const struct role_options *options)
{
    char sockets[CONTROL_PATH_MAX];
    struct outbox_executor voice = {.say = say_event};
    struct job_row row;
    struct error err;
    int code;

    error_clear(&err);
    if (ended_before(job, &row)) {
        outbox_executor_say_ended(&voice, &row, &err);
        return status_exit_code(err.status);
    }
    if (check(job, options, &err) != STATUS_OK ||
        control_folder_create(job->folder, sockets, &err) != STATUS_OK)
        return fail_early(&err);
    code = run_stages(job, options, sockets);
    tidy_up(job, options);
    return code;
}

/* Into a session of its own, of which no terminal's hangup and no Ctrl-C knows.
 * False in the process that the door waits for. */
static bool leave_session(void)
{
    pid_t pid = fork();

    if (pid > 0)
        return false;
    if (pid < 0 || setsid() < 0)
        log_warning("the job stays in its client's session");
    signal(SIGHUP, SIG_IGN);
    return true;
}

int run_supervise(const struct role_options *options)
{
    struct error err;
    struct job job;
    int code, lock;

    error_clear(&err);
    if (options->is_detached && !leave_session())
        return 0;
    log_open("supervisor", LOG_INFO);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    if (job_open(options->folder, &job, &err) != STATUS_OK)
        return fail_early(&err);
    if (job_lock(job.folder, &lock, &err) != STATUS_OK) {
        job_deinit(&job);
        return fail_early(&err);
    }
    if (options->is_detached && chdir("/") != 0)
        log_warning("the job keeps its client's folder busy");
    code = supervise(&job, options);
    job_deinit(&job);
    job_unlock(lock);
    return code;
}
