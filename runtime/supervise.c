#include "runtime/supervise.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "launch/control.h"
#include "runtime/recorder.h"
#include "runtime/roles.h"

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

static void on_line(void *context, struct slice line)
{
    if (slice_is(line, "cancel"))
        on_end(context);
}

/* From the control socket. What is not known is not answered: an older
 * supervisor must not say yes to a newer client. */
static void on_request(void *context, struct slice line, struct text *reply)
{
    struct supervise_watch *watch = context;
    static const char scale[] = "scale ";
    const size_t skip = sizeof scale - 1;
    int64_t workers;
    struct error err;

    if (line.size <= skip || memcmp(line.data, scale, skip) != 0 ||
        !slice_to_integer((struct slice){line.data + skip, line.size - skip}, &workers)) {
        on_line(context, line);
        return;
    }
    error_clear(&err);
    (void)watch->scale(watch->context, workers, &err);
    control_write_reply(&err, reply);
}

static void on_nothing(void *context)
{
    (void)context;
}

enum status supervise_watch(struct loop *loop, const char *sockets, struct supervise_watch *watch,
                            struct error *err)
{
    struct line_reader lifeline = {.context = watch, .on_line = on_line, .on_end = on_end};
    struct line_reader control = {.context = watch, .on_request = on_request, .on_end = on_nothing};
    char address[MESSAGE_ADDRESS_MAX + 1];

    snprintf(address, sizeof address, "unix:%s/control", sockets);
    TRY(loop_listen_lines(loop, address, control, err));
    TRY(loop_on_signal(loop, SIGINT, on_end, watch, err));
    TRY(loop_on_signal(loop, SIGTERM, on_end, watch, err));
    if (loop_read_lines(loop, SUPERVISE_LIFELINE, lifeline, NULL, err) != STATUS_OK) {
        fail(err, STATUS_INVALID, "standard input cannot be waited for");
        return error_hint(err, "It is the lifeline: a pipe, a socket or a terminal, whose end "
                               "cancels the job.");
    }
    return STATUS_OK;
}

static void say_event(void *context, const struct job_event *event, struct slice line)
{
    (void)context;
    supervise_say(event, line);
}

/* What goes wrong before there is a master. */
static int fail_early(const struct error *err)
{
    struct recorder voice = {.say = say_event};

    log_error("%s", err->message);
    recorder_say_failed(&voice, err);
    return status_exit_code(err->status);
}

/* The door does the same when it is still there. */
static void clean(const char *path)
{
    struct job_folder folder = {.lock = 0};

    snprintf(folder.path, sizeof folder.path, "%s", path);
    job_folder_clean(&folder);
}

/* A folder of a job that has ended says so again, and nothing is started. */
static bool ended_before(const struct job *job, struct job_event *event)
{
    struct jobstore *store;
    struct job_row row;
    char path[PATH_MAX + 8];
    bool has_row;

    snprintf(path, sizeof path, "%s/job.db", job->folder);
    if (access(path, F_OK) != 0 || jobstore_open(path, true, &store, NULL) != STATUS_OK)
        return false; /* whoever opens it to write will say what is wrong */
    has_row = jobstore_get_job(store, &row, NULL) == STATUS_OK;
    jobstore_close(store);
    if (!has_row || row.state < JOB_STATE_DONE)
        return false;
    *event = (struct job_event){.kind = row.state == JOB_STATE_DONE ? JOB_DONE : JOB_FAILED,
                                .step = row.step,
                                .steps = row.step,
                                .loss = row.loss,
                                .validation_loss = (double)NAN,
                                .validation_score = (double)NAN,
                                .seconds = row.seconds};
    error_clear(&event->error);
    if (row.state != JOB_STATE_DONE)
        fail(&event->error, row.state == JOB_STATE_CANCELLED ? STATUS_INTERRUPTED : STATUS_FAILED,
             "%s", row.error);
    return true;
}

static enum status check_that_nobody_runs(const struct job *job, struct error *err)
{
    int control = control_connect(job->folder);

    if (control < 0)
        return STATUS_OK;
    close(control);
    return fail(err, STATUS_INVALID, "job %llu is running already", (unsigned long long)job->id);
}

static enum status check(const struct job *job, const struct role_options *options,
                         struct error *err)
{
    if (options->listen && job->spec.in_one_process)
        return fail(err, STATUS_INVALID, "a job in one process has no network");
    return STATUS_OK;
}

int run_supervise(const struct role_options *options)
{
    char sockets[CONTROL_PATH_MAX];
    struct recorder voice = {.say = say_event};
    struct job_event event;
    struct error err;
    struct job job;
    int code;

    error_clear(&err);
    log_open("supervisor", LOG_INFO);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    if (job_open(options->folder, &job, &err) != STATUS_OK)
        return fail_early(&err);
    if (ended_before(&job, &event)) {
        recorder_say(&voice, &event);
        job_deinit(&job);
        return status_exit_code(event.error.status);
    }
    if (check_that_nobody_runs(&job, &err) != STATUS_OK) {
        job_deinit(&job);
        return fail_early(&err);
    }
    if (check(&job, options, &err) != STATUS_OK ||
        control_folder_create(job.folder, sockets, &err) != STATUS_OK) {
        job_deinit(&job);
        return fail_early(&err);
    }
    code = job.spec.in_one_process ? supervise_alone(&job, sockets)
                                   : supervise_children(&job, sockets, options->listen);
    clean(job.folder);
    job_deinit(&job);
    return code;
}
