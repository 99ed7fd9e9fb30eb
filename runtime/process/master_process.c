/*
 * The process of the role that leads a job (leader.h): its network, its launcher, its exit code.
 *
 * Where there is a supervisor, it hears everything on the lifeline. With a launcher
 * there is none: event lines go to standard output, which is the log of a pod, and
 * the exit code says whether another master is to be started: 0 done, 1 the job has
 * failed, anything else: yes.
 */
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "runtime/data/pgstore/pgstore.h"
#include "runtime/loop/loop_watch.h"
#include "runtime/loop/store_call.h"
#include "runtime/net/tls.h"
#include "runtime/process/health.h"
#include "runtime/process/launcher.h"
#include "runtime/process/leader.h"
#include "runtime/process/role_process.h"

#define ALIVE_MS      1000
#define LOG           1 /* of the pod */
#define LAST_WORD_MS  2000
#define PROGRESS_MS   200 /* a log is kept by somebody else, and is no place for every line */
#define CODE_FAILED   1
#define CODE_LEFT     (128 + SIGTERM)
#define FENCED_BEAT_S 10
#define FENCED_BEATS  60 /* ten minutes */

struct master_process {
    struct leader leader;
    struct loop_network network;
    struct loop *loop;
    int64_t alive_at;
    const struct launcher *launcher; /* NULL: a supervisor */
    bool launches;                   /* it has been started */
    uint64_t step;                   /* of the last progress */
    int64_t progress_at;
    enum { ENDS_NOT, ENDS_DONE, ENDS_FAILED } verdict; /* what was said of the job's end */
    bool is_leaving;
    struct health *health;
    struct store_call call;        /* of the recorder */
    struct store_voucher *voucher; /* says `alive` while a call is in flight */
    uint64_t wishes;               /* of the launcher's, for another number of workers */
};

static const struct launcher *launcher_of(const struct master_process *process)
{
    return process->launches ? process->launcher : NULL;
}

/* Who reads the log may be away: then nothing waits for him but the last word. */
static void say_to_log(struct slice line, bool is_last)
{
    struct pollfd log = {.fd = LOG, .events = POLLOUT};

    if (poll(&log, 1, is_last ? LAST_WORD_MS : 0) <= 0 || write(LOG, line.data, line.size) < 0)
        log_warning("nobody takes the lines of the log");
}

/* Before workers are told their END: none of them is to be started again. */
static void note_end(struct master_process *process, enum job_event_kind kind)
{
    if (process->verdict != ENDS_NOT)
        return;
    process->verdict = kind == JOB_DONE ? ENDS_DONE : ENDS_FAILED;
    if (launcher_of(process))
        process->launcher->over(process->launcher->self);
}

static bool is_too_soon(struct master_process *process, const struct job_event *event)
{
    const int64_t now_ms = loop_now_ms();

    if (event->step > process->step && launcher_of(process))
        process->launcher->stepped(process->launcher->self);
    process->step = event->step;
    if (now_ms - process->progress_at < PROGRESS_MS)
        return true;
    process->progress_at = now_ms;
    return false;
}

static void say_event(void *context, const struct job_event *event, struct slice line)
{
    struct master_process *process = context;
    const bool is_last = event->kind == JOB_DONE || event->kind == JOB_FAILED;

    if (!process->launcher) {
        role_say(line.data, line.size);
        return;
    }
    if (is_last)
        note_end(process, event->kind);
    if (event->kind != JOB_PROGRESS)
        process->launcher->said(process->launcher->self, event);
    if (event->kind != JOB_PROGRESS || !is_too_soon(process, event))
        say_to_log(line, is_last);
}

static void say_replace(void *context, uint32_t index, uint32_t incarnation)
{
    struct master_process *process = context;
    char line[32];

    if (launcher_of(process))
        process->launcher->replace(process->launcher->self, index, incarnation);
    else if (!process->launcher)
        role_say(line, (size_t)snprintf(line, sizeof line, "replace %" PRIu32 "\n", index));
}

static void say_worker(void *context, uint32_t index, uint32_t incarnation, bool is_here)
{
    struct master_process *process = context;

    char line[48];

    if (launcher_of(process))
        process->launcher->worker(process->launcher->self, index, incarnation, is_here);
    else if (!process->launcher)
        role_say(line, (size_t)snprintf(line, sizeof line, "worker %" PRIu32 " %s\n", index,
                                        is_here ? "here" : "gone"));
}

static void say_blamed(void *context, uint32_t index)
{
    struct master_process *process = context;
    char line[32];

    if (launcher_of(process))
        process->launcher->blamed(process->launcher->self, index);
    else if (!process->launcher)
        role_say(line, (size_t)snprintf(line, sizeof line, "blamed %" PRIu32 "\n", index));
}

static void say_lanes(void *context, uint32_t lanes)
{
    struct master_process *process = context;
    char line[32];

    if (launcher_of(process))
        process->launcher->lanes(process->launcher->self, lanes);
    else if (!process->launcher)
        role_say(line, (size_t)snprintf(line, sizeof line, "lanes %" PRIu32 "\n", lanes));
}

/* A master that is stopped cannot say so: the supervisor counts on this. */
static void say_alive(void *context, int64_t now_ms)
{
    struct master_process *process = context;

    if (now_ms - process->alive_at < ALIVE_MS)
        return;
    process->alive_at = now_ms;
    role_say("alive\n", 6);
}

/* In the voucher's thread: a line this short is sent whole. */
static void say_storing(void *context)
{
    (void)context;
    role_say("alive\n", 6);
}

/* Of a job that is deleted nobody needs the books, and whoever deleted it may have dropped its
 * tables: its workers are told first. */
static void cancel_deleted(void *context)
{
    struct master_process *process = context;

    log_info("the job was deleted");
    (void)leader_end_workers(&process->leader);
    leader_cancel(&process->leader);
}

/* VERSION WORKERS */
static void take_wanted(struct master_process *process, struct slice numbers)
{
    const char *space = memchr(numbers.data, ' ', numbers.size);
    size_t length = space ? (size_t)(space - numbers.data) : numbers.size;
    int64_t version, workers;

    if (space && slice_to_integer((struct slice){numbers.data, length}, &version) &&
        slice_to_integer((struct slice){space + 1, numbers.size - length - 1}, &workers) &&
        workers >= 0 && workers <= UINT32_MAX)
        leader_want(&process->leader, (uint64_t)version, (uint32_t)workers);
}

static void on_master_line(void *context, struct slice line)
{
    struct master_process *process = context;
    struct error err;

    if (slice_is(line, "cancel")) {
        leader_cancel(&process->leader);
    } else if (line.size > 7 && memcmp(line.data, "wanted ", 7) == 0) {
        take_wanted(process, (struct slice){line.data + 7, line.size - 7});
    } else if (line.size > 5 && memcmp(line.data, "fail ", 5) == 0) {
        error_clear(&err);
        fail(&err, STATUS_FAILED, "%.*s", (int)line.size - 5, line.data + 5);
        leader_fail(&process->leader, &err);
    }
}

static void leave_now(void *context)
{
    struct master_process *process = context;

    leader_leave(&process->leader);
}

static void on_sigterm(void *context)
{
    struct master_process *process = context;

    process->is_leaving = true;
    if (process->launcher) {
        process->launcher->leave(process->launcher->self);
        return;
    }
    role_say_leaving();
    leader_leave(&process->leader);
}

static void say_notice(void *context, const char *text)
{
    struct master_process *process = context;
    const struct recorder voice = {.say = say_event, .context = process};

    log_warning("%s", text);
    recorder_say_notice(&voice, text);
}

static void give_up(void *context, const struct error *verdict)
{
    struct master_process *process = context;

    leader_fail(&process->leader, verdict);
}

static void note_leaving(void *context, uint32_t index, uint32_t incarnation)
{
    struct master_process *process = context;

    leader_drain(&process->leader, index, incarnation);
}

static void want_now(void *context, uint32_t workers)
{
    struct master_process *process = context;

    leader_want(&process->leader, ++process->wishes, workers);
}

static enum status start_leader(struct master_process *process, const struct job *job,
                                const struct role_options *options, struct error *err)
{
    const struct leader_options own = {
        .job = job,
        .recorder = {.say = say_event,
                     .replace = say_replace,
                     .blame = say_blamed,
                     .lanes = say_lanes,
                     .worker = say_worker,
                     .call = &process->call,
                     .context = process},
        .address = options->listen,
        .incarnation = options->incarnation,
        .supervisor = process->launcher ? 0 : getppid(),
    };

    return leader_start(&process->leader, process->loop, &own, err);
}

static enum status start_launcher(struct master_process *process, const struct job *job,
                                  struct error *err)
{
    const struct launcher_owner owner = {.context = process,
                                         .notice = say_notice,
                                         .give_up = give_up,
                                         .leaving = note_leaving,
                                         .want = want_now,
                                         .leave = leave_now,
                                         .cancel = cancel_deleted};

    TRY(process->launcher->start(process->launcher->self, process->loop, job, &owner, err));
    process->launches = true;
    return STATUS_OK;
}

static void beat(void *context, int64_t now_ms)
{
    health_beat(((struct master_process *)context)->health, now_ms);
}

static enum status start_master(struct master_process *process, const struct job *job,
                                const struct role_options *options, struct error *err)
{
    struct identity self = {job->id, IDENTITY_MASTER, 0};

    TRY(role_open_network(options, &self, &process->network, err));
    TRY(loop_new(ROLE_TICK_MS, &process->loop, err));
    loop_use_network(process->loop, &process->network);
    if (!process->launcher) {
        TRY(role_watch_lifeline(process->loop, on_master_line, process, err));
        TRY(store_voucher_start(&process->call, ALIVE_MS, say_storing, process, &process->voucher,
                                err));
        loop_on_tick(process->loop, say_alive, process);
    } else {
        loop_on_tick(process->loop, beat, process);
    }
    TRY(start_leader(process, job, options, err));
    if (process->launcher)
        TRY(start_launcher(process, job, err));
    return loop_on_signal(process->loop, SIGTERM, on_sigterm, process, err);
}

/* Of a job that had ended before: its end, which the master before may not have said. */
static bool find_end(struct master_process *process, enum status *status, struct error *err)
{
    const struct recorder voice = {.say = say_event, .context = process};
    struct job_row row;

    if (!recorder_has_ended(&process->leader.recorder, &row))
        return false;
    log_info("the job is %s already", job_state_name(row.state));
    process->verdict = row.state == JOB_STATE_DONE ? ENDS_DONE : ENDS_FAILED;
    recorder_say_ended(&voice, &row, err);
    *status = err->status;
    return true;
}

/* Where the store refused the end, the workers were not told of it. */
static enum status lead(struct master_process *process, struct error *err)
{
    const enum status status = loop_run(process->loop, err);

    if (process->verdict == ENDS_FAILED && leader_end_workers(&process->leader))
        (void)loop_run(process->loop, NULL); /* it has been stopped: what is to be sent goes out */
    return status;
}

static enum status run_leader(struct master_process *process, const struct job *job,
                              const struct role_options *options, struct error *err)
{
    struct recorder voice = {.say = say_event, .context = process};
    enum status status = start_master(process, job, options, err);

    if (status == STATUS_OK)
        return lead(process, err);
    if (find_end(process, &status, err))
        return status;
    if (!job->journal || status != STATUS_CONNECTION)
        recorder_say_failed(&voice, err);
    return status;
}

/* Another master leads. This process would be started again in its place, and would take the job
 * back: it stays until its pod is taken away, as that of a node that was cut off is when it comes
 * back. If nobody does so, the next one looks at the books first, and a job that has ended stays
 * so.
 */
static void wait_for_removal(const struct master_process *process)
{
    const struct timespec beat_time = {.tv_sec = FENCED_BEAT_S};
    sigset_t end;

    log_warning("another master leads; this one waits for its end");
    sigemptyset(&end);
    sigaddset(&end, SIGTERM);
    sigprocmask(SIG_BLOCK, &end, NULL);
    for (int beats = 0; beats < FENCED_BEATS; beats++) {
        health_beat(process->health, loop_now_ms());
        if (sigtimedwait(&end, NULL, &beat_time) == SIGTERM)
            return;
    }
}

static int exit_code(const struct master_process *process, enum status status,
                     const struct error *err)
{
    struct error why;

    error_clear(&why);
    if (!process->launcher)
        return role_finish(status, err);
    (void)role_finish(status, err);
    if (status == STATUS_STALE)
        wait_for_removal(process);
    if (process->verdict == ENDS_NOT) {
        process->launcher->flush(process->launcher->self);
        return process->is_leaving ? CODE_LEFT : status_exit_code(STATUS_CONNECTION);
    }
    if (process->launcher->end(process->launcher->self, process->verdict == ENDS_FAILED, &why) !=
        STATUS_OK) {
        log_error("what is left of the job is not removed: %s", why.message);
        return status_exit_code(STATUS_CONNECTION);
    }
    return process->verdict == ENDS_DONE ? 0 : CODE_FAILED;
}

/* A job that cannot be opened has no books: what is wrong is said here alone. */
static int fail_early(struct master_process *process, enum status status, const struct error *err)
{
    struct recorder voice = {.say = say_event, .context = process};

    if (process->launcher && status != STATUS_CONNECTION)
        recorder_say_failed(&voice, err);
    return exit_code(process, status, err);
}

static void stop(struct master_process *process)
{
    if (launcher_of(process))
        process->launcher->stop(process->launcher->self);
    process->launches = false;
    store_voucher_stop(process->voucher);
    loop_free(process->loop);
    tls_free(process->network.tls);
    leader_stop(&process->leader);
}

int run_master(const struct role_options *options)
{
    struct master_process process;
    struct pgstore *tables;
    enum status status;
    struct error err;
    struct job job;
    int code;

    memset(&process, 0, sizeof process);
    process.launcher = options->launcher;
    error_clear(&err);
    log_open("master", LOG_INFO);
    role_raise_descriptor_limit();
    signal(SIGXFSZ, SIG_IGN); /* a limit on files is an error of the store, not a death */
    signal(SIGINT, SIG_IGN);  /* the supervisor decides what Ctrl-C means */
    role_end_by_sigterm();
    status = options->health ? health_open(options->health, &process.call, &process.health, &err)
                             : STATUS_OK;
    if (status == STATUS_OK)
        status = role_open_job(options, &job, &tables, &err);
    if (status != STATUS_OK) {
        code = fail_early(&process, status, &err);
        health_close(process.health);
        return code;
    }
    status = run_leader(&process, &job, options, &err);
    stop(&process);
    code = exit_code(&process, status, &err);
    health_close(process.health);
    job_deinit(&job);
    pgstore_close(tables);
    return code;
}
