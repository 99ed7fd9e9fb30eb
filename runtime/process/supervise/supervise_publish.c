#include "runtime/process/supervise/supervise_publish.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process/log.h"
#include "runtime/data/store/destination.h"
#include "runtime/launch/job_lock.h"
#include "runtime/launch/spawn.h"
#include "runtime/loop/loop_watch.h"
#include "runtime/process/supervise/supervise.h"
#include "runtime/record/outbox_executor.h"

#define TICK_MS   50
#define TRIES_MAX 3 /* tries of publishers that are killed */

struct publishing {
    const struct job *job;
    struct loop *loop;
    struct supervise_watch watch;
    pid_t pid;
    uint32_t tries;
    bool is_elsewhere, is_cancelled;
    bool is_discarding; /* it removes the rest of a cancelled publishing */
    struct error failure;
};

static void say_event(void *context, const struct job_event *event, struct slice line)
{
    (void)context;
    supervise_say(event, line);
}

static enum status open_store(const struct job *job, struct jobstore **store, struct error *err)
{
    char path[PATH_MAX + 8];

    snprintf(path, sizeof path, "%s/job.db", job->folder);
    return jobstore_open_durable(path, store, err);
}

static enum status start_publisher(struct publishing *publishing, struct error *err)
{
    const struct job *job = publishing->job;
    char *arguments[] = {"totrain", "publish", (char *)(uintptr_t)job->folder, NULL};
    char log[PATH_MAX + 8];
    const struct spawn spawn = {
        .program = "/proc/self/exe", .arguments = arguments, .in = -1, .out = -1, .log = log};

    snprintf(log, sizeof log, "%s/log", job->folder);
    publishing->tries++;
    return spawn_process(&spawn, &publishing->pid, err);
}

static void cancel(void *context)
{
    struct publishing *publishing = context;

    publishing->is_cancelled = true;
    if (publishing->pid > 0 && !publishing->is_discarding)
        kill(publishing->pid, SIGTERM);
}

static enum status scale(void *context, int64_t workers, struct error *err)
{
    (void)context;
    (void)workers;
    return fail(err, STATUS_INVALID, "the job has learned already, and publishes its model");
}

/* Reads the outcome that the publisher itself has written. */
static enum status read_outcome(const struct job *job, struct destination *destination,
                                struct error *err)
{
    struct jobstore *store;
    enum status status;

    TRY(open_store(job, &store, err));
    status = destination_get(store, destination, err);
    jobstore_close(store);
    return status;
}

static void explain(struct publishing *publishing, int how)
{
    struct error *failure = &publishing->failure;
    struct destination outcome;

    if (publishing->is_cancelled) {
        fail(failure, STATUS_INTERRUPTED, "the job was cancelled");
        return;
    }
    if (read_outcome(publishing->job, &outcome, failure) != STATUS_OK ||
        outcome.state == DESTINATION_PUBLISHED || (publishing->is_elsewhere && how == 0))
        return;
    if (outcome.state == DESTINATION_REFUSED) {
        fail(failure, STATUS_FAILED, "%s", outcome.error);
        error_hint(failure, "%s", outcome.hint);
    } else if (WIFSIGNALED(how)) {
        fail(failure, STATUS_FAILED, "the publisher was killed by signal %d", WTERMSIG(how));
    } else {
        fail(failure, STATUS_FAILED, "the publisher ended with code %d and no result",
             WEXITSTATUS(how));
    }
}

/* Once: its tables are not ours to leave. The publisher knows by the mark. */
static bool must_discard(struct publishing *publishing)
{
    struct error ignored;

    if (!publishing->is_elsewhere || !publishing->is_cancelled || publishing->is_discarding)
        return false;
    publishing->is_discarding = true;
    return job_give_up(publishing->job->folder, &ignored) == STATUS_OK;
}

static void on_child_end(void *context)
{
    struct publishing *publishing = context;
    struct error err;
    int how;

    if (publishing->pid <= 0 || waitpid(publishing->pid, &how, WNOHANG) != publishing->pid)
        return;
    publishing->pid = 0;
    error_clear(&err);
    if (WIFSIGNALED(how) && !publishing->is_cancelled && publishing->tries < TRIES_MAX) {
        log_warning("the publisher was killed by signal %d", WTERMSIG(how));
        if (start_publisher(publishing, &err) == STATUS_OK)
            return;
    }
    if (must_discard(publishing) && start_publisher(publishing, &err) == STATUS_OK)
        return;
    error_clear(&publishing->failure);
    explain(publishing, how);
    loop_stop(publishing->loop, publishing->failure.status, &publishing->failure);
}

static void on_tick(void *context, int64_t now_ms)
{
    (void)now_ms;
    on_child_end(context);
}

static enum status start_publishing(struct publishing *publishing, const char *sockets,
                                    bool is_detached, struct error *err)
{
    TRY(loop_new(TICK_MS, &publishing->loop, err));
    TRY(loop_on_signal(publishing->loop, SIGCHLD, on_child_end, publishing, err));
    publishing->watch = (struct supervise_watch){
        .cancel = cancel, .scale = scale, .context = publishing, .is_detached = is_detached};
    TRY(supervise_watch(publishing->loop, sockets, &publishing->watch, err));
    loop_on_tick(publishing->loop, on_tick, publishing);
    return start_publisher(publishing, err);
}

/* A publisher that was killed could not store its outcome itself. */
static void record(const struct job *job, const struct error *failure)
{
    struct destination destination;
    struct jobstore *store;
    struct job_row row;
    struct error err;

    error_clear(&err);
    if (open_store(job, &store, &err) != STATUS_OK) {
        log_error("%s", err.message);
        return;
    }
    if (failure->status == STATUS_INTERRUPTED) {
        if (jobstore_get_job(store, &row, &err) == STATUS_OK) {
            row.state = JOB_STATE_CANCELLED;
            snprintf(row.error, sizeof row.error, "%s", failure->message);
            (void)jobstore_put_job(store, &row, &err);
        }
    } else if (destination_get(store, &destination, &err) == STATUS_OK &&
               destination.state == DESTINATION_PENDING) {
        destination.state = DESTINATION_REFUSED;
        snprintf(destination.error, sizeof destination.error, "%s", failure->message);
        (void)destination_put(store, &destination, &err);
    }
    if (err.status != STATUS_OK)
        log_error("%s", err.message);
    jobstore_close(store);
}

bool supervise_must_publish(const struct job *job)
{
    struct destination destination;
    struct jobstore *store;
    struct job_row row;
    struct error err;
    bool is_due;

    error_clear(&err);
    if (open_store(job, &store, &err) != STATUS_OK)
        return false; /* opening it next will report what is wrong */
    is_due = jobstore_get_job(store, &row, &err) == STATUS_OK && row.state == JOB_STATE_DONE &&
             destination_get(store, &destination, &err) == STATUS_OK &&
             destination.state != DESTINATION_PUBLISHED;
    jobstore_close(store);
    return is_due;
}

int supervise_publish(const struct job *job, const char *sockets, bool is_detached,
                      bool is_elsewhere)
{
    struct publishing publishing = {.job = job, .is_elsewhere = is_elsewhere};
    struct outbox_executor voice = {.say = say_event};
    enum status status;
    struct error err;

    error_clear(&err);
    status = start_publishing(&publishing, sockets, is_detached, &err);
    if (status == STATUS_OK)
        status = loop_run(publishing.loop, &err);
    if (publishing.pid > 0) { /* SIGTERM: another process will publish */
        kill(publishing.pid, SIGKILL);
        waitpid(publishing.pid, NULL, 0);
    } else if (status != STATUS_OK) {
        record(job, &err);
    }
    if (status != STATUS_OK) {
        log_error("%s", err.message);
        outbox_executor_say_failed(&voice, &err);
    }
    loop_free(publishing.loop);
    return status_exit_code(status);
}
