#include "runtime/process/leading/master_process.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/process/log.h"
#include "runtime/data/pgstore/pgstore.h"
#include "runtime/loop/loop_watch.h"
#include "runtime/loop/store_call.h"
#include "runtime/net/tls.h"
#include "runtime/process/leading/leader.h"
#include "runtime/process/role/health.h"
#include "runtime/process/role/lifeline_launcher.h"
#include "runtime/process/role/role_process.h"

#define CODE_FAILED   1
#define CODE_LEFT     (128 + SIGTERM)
#define FENCED_BEAT_S 10
#define FENCED_BEATS  60 /* ten minutes */

struct master_process {
    struct leader leader;
    struct loop_network network;
    struct loop *loop;
    struct lifeline_launcher lifeline; /* where no other launcher is given */
    const struct launcher *launcher;
    enum { ENDS_NOT, ENDS_DONE, ENDS_FAILED } outcome; /* the end reported for the job */
    bool is_leaving;
    struct health *health;        /* NULL: there are no probes */
    struct store_call store_call; /* the executor's */
};

/* ----- from the leader ----- */

static void say_event(void *context, const struct job_event *event, struct slice line)
{
    struct master_process *process = context;

    if (process->outcome == ENDS_NOT && event->kind == JOB_DONE)
        process->outcome = ENDS_DONE;
    if (process->outcome == ENDS_NOT && event->kind == JOB_FAILED)
        process->outcome = ENDS_FAILED;
    process->launcher->on_event(process->launcher->self, event, line);
}

/* ----- from the launcher ----- */

static void notice(void *context, const char *text)
{
    const struct master_process *process = context;
    const struct outbox_executor voice = {.say = say_event, .context = context};
    const struct outbox_executor *executor = &process->leader.executor;

    log_warning("%s", text);
    outbox_executor_say_notice(executor->store ? executor : &voice, text);
}

static void want(void *context, uint64_t version, uint32_t workers)
{
    struct master_process *process = context;

    leader_want(&process->leader, version, workers);
}

static void stand(void *context, const char *text)
{
    struct master_process *process = context;

    leader_stand(&process->leader, text);
}

static void want_servers(void *context, uint64_t version, uint32_t servers)
{
    struct master_process *process = context;

    leader_want_servers(&process->leader, version, servers);
}

static void drain(void *context, uint32_t index, uint32_t incarnation)
{
    struct master_process *process = context;

    leader_drain(&process->leader, index, incarnation);
}

static void cancel(void *context)
{
    struct master_process *process = context;

    leader_cancel(&process->leader);
}

/* The store of a deleted job is not needed, and the session that deleted it may have dropped its
 * tables: workers receive END before anything is stored. */
static void cancel_deleted(void *context)
{
    struct master_process *process = context;

    log_info("the job was deleted");
    leader_end_workers(&process->leader);
    leader_cancel(&process->leader);
}

static void fail_job(void *context, const struct error *why)
{
    struct master_process *process = context;

    leader_fail(&process->leader, why);
}

static void leave(void *context)
{
    struct master_process *process = context;

    leader_leave(&process->leader);
}

/* ----- from the loop ----- */

static void on_sigterm(void *context)
{
    struct master_process *process = context;

    process->is_leaving = true;
    process->launcher->leave(process->launcher->self);
}

static void on_tick(void *context, int64_t now_ms)
{
    const struct master_process *process = context;
    const struct launcher *launcher = process->launcher;

    health_beat(process->health, now_ms);
    if (launcher->on_tick)
        launcher->on_tick(launcher->self, now_ms);
}

/* ----- life ----- */

static enum status start_master(struct master_process *process, const struct job *job,
                                const struct role_options *options, struct error *err)
{
    const struct launcher *launcher = process->launcher;
    const struct identity self = {job->id, IDENTITY_MASTER, 0};
    const struct launcher_owner owner = {.context = process,
                                         .store_call = &process->store_call,
                                         .notice = notice,
                                         .want = want,
                                         .stand = stand,
                                         .want_servers = want_servers,
                                         .drain = drain,
                                         .cancel = cancel,
                                         .cancel_deleted = cancel_deleted,
                                         .fail = fail_job,
                                         .leave = leave};
    const struct leader_options leading = {
        .job = job,
        .executor = {.say = say_event,
                     .context = process,
                     .workers = &launcher->workers,
                     .call = &process->store_call},
        .address = options->listen,
        .incarnation = options->incarnation,
        .supervisor = launcher->is_supervised ? getppid() : 0,
    };

    TRY(role_open_network(options, &self, &process->network, err));
    TRY(loop_new(ROLE_TICK_MS, &process->loop, err));
    loop_use_network(process->loop, &process->network);
    TRY(launcher->start(launcher->self, process->loop, job, &owner, err));
    loop_on_tick(process->loop, on_tick, process);
    TRY(leader_start(&process->leader, process->loop, &leading, err));
    return loop_on_signal(process->loop, SIGTERM, on_sigterm, process, err);
}

/* Finds the end of a job that had ended before, which the earlier master may not have reported. */
static bool find_end(struct master_process *process, enum status *status, struct error *err)
{
    const struct outbox_executor voice = {.say = say_event, .context = process};
    struct job_row row;

    if (!outbox_executor_has_ended(&process->leader.executor, &row))
        return false;
    log_info("the job is %s already", job_state_name(row.state));
    process->outcome = row.state == JOB_STATE_DONE ? ENDS_DONE : ENDS_FAILED;
    outbox_executor_say_ended(&voice, &row, err);
    *status = err->status;
    return true;
}

/* Where the store refused the end, the workers did not receive END. */
static enum status lead(struct master_process *process, struct error *err)
{
    const enum status status = loop_run(process->loop, err);

    if (process->outcome == ENDS_FAILED && !process->launcher->is_supervised) {
        leader_end_workers(&process->leader);
        (void)loop_run(process->loop, NULL); /* it has been stopped: what is to be sent goes out */
    }
    return status;
}

static enum status run_leader(struct master_process *process, const struct job *job,
                              const struct role_options *options, struct error *err)
{
    struct outbox_executor voice = {.say = say_event, .context = process};
    enum status status = start_master(process, job, options, err);

    if (status == STATUS_OK)
        return lead(process, err);
    if (find_end(process, &status, err))
        return status;
    if (!job->journal || status != STATUS_CONNECTION)
        outbox_executor_say_failed(&voice, err);
    return status;
}

/* Another master leads. This process would be started again in its place, and would take the job
 * back: it stays until its pod is taken away, as that of a node that was cut off is when it comes
 * back. If it is not, the next process reads the job's row first, and a job that has ended stays
 * ended.
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
    if (process->launcher->is_supervised)
        return role_finish(status, err);
    (void)role_finish(status, err);
    if (status == STATUS_STALE)
        wait_for_removal(process);
    if (process->outcome == ENDS_NOT) {
        process->launcher->flush(process->launcher->self);
        return process->is_leaving ? CODE_LEFT : status_exit_code(STATUS_CONNECTION);
    }
    if (process->launcher->end(process->launcher->self, process->outcome == ENDS_FAILED, &why) !=
        STATUS_OK) {
        log_error("what is left of the job is not removed: %s", why.message);
        return status_exit_code(STATUS_CONNECTION);
    }
    return process->outcome == ENDS_DONE ? 0 : CODE_FAILED;
}

/* A job that cannot be opened has no store: the error is reported here alone. */
static int fail_early(struct master_process *process, enum status status, const struct error *err)
{
    struct outbox_executor voice = {.say = say_event, .context = process};

    if (!process->launcher->is_supervised && status != STATUS_CONNECTION)
        outbox_executor_say_failed(&voice, err);
    return exit_code(process, status, err);
}

static void stop(struct master_process *process)
{
    process->launcher->stop(process->launcher->self);
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
    lifeline_launcher_init(&process.lifeline);
    process.launcher = options->launcher ? options->launcher : &process.lifeline.launcher;
    error_clear(&err);
    log_open("master", LOG_INFO);
    role_raise_descriptor_limit();
    signal(SIGXFSZ, SIG_IGN); /* a limit on files is an error of the store, not a death */
    signal(SIGINT, SIG_IGN);  /* the supervisor decides what Ctrl-C means */
    role_end_by_sigterm();
    status = options->health
                 ? health_open(options->health, &process.store_call, &process.health, &err)
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
