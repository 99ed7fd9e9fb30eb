#include "runtime/process/supervise/supervise_alone.h"

#include <string.h>
#include <unistd.h>

#include "base/process/log.h"
#include "runtime/launch/control.h"
#include "runtime/launch/job_lock.h"
#include "runtime/launch/processor.h"
#include "runtime/process/leading/leader.h"
#include "runtime/process/role/role_process.h"
#include "runtime/process/supervise/core_share.h"
#include "runtime/process/supervise/supervise.h"
#include "runtime/process/supervise/worker_pool.h"
#include "runtime/process/working/working.h"

#define MASTER_ADDRESS LOOP_LOCAL "master"

struct alone {
    struct loop *loop;
    struct leader leader;
    struct working worker;
    struct supervise_watch watch;
    struct core_share cores;
};

static void say_event(void *context, const struct job_event *event, struct slice line)
{
    (void)context;
    supervise_say(event, line);
}

static void cancel(void *context)
{
    struct alone *alone = context;
    leader_cancel(&alone->leader);
}

static void fail_with(void *context, const struct error *why)
{
    struct alone *alone = context;
    leader_fail(&alone->leader, why);
}

static enum status scale(void *context, int64_t workers, struct error *err)
{
    struct worker_pool one;
    (void)context;

    worker_pool_init(&one, 1, 1, 1);
    return worker_pool_want(&one, workers, err);
}

static void on_tick(void *context, int64_t now_ms)
{
    struct alone *alone = context;

    if (core_share_look(&alone->cores, now_ms))
        working_use_cores(&alone->worker, alone->cores.processors);
}

static enum status start_alone(struct alone *alone, const struct job *job, const char *sockets,
                               bool is_detached, struct error *err)
{
    const struct leader_options leading = {
        .job = job,
        .executor = {.say = say_event}, /* its worker is never replaced */
        .address = MASTER_ADDRESS,
        .supervisor = getpid()};
    struct working_options working = {.job = job, .master = MASTER_ADDRESS};

    TRY(loop_new(ROLE_TICK_MS, &alone->loop, err));
    TRY(leader_start(&alone->leader, alone->loop, &leading, err));
    alone->watch = (struct supervise_watch){.cancel = cancel,
                                            .fail = fail_with,
                                            .scale = scale,
                                            .context = alone,
                                            .is_detached = is_detached,
                                            .is_kept = job_is_kept(job->folder)};
    TRY(supervise_watch(alone->loop, sockets, &alone->watch, err));
    loop_on_tick(alone->loop, on_tick, alone);
    core_share_open(&alone->cores, job, launch_cores(), loop_now_ms());
    working.cores = alone->cores.processors;
    working.loop = alone->loop;
    return working_start(&alone->worker, &working, err);
}

int supervise_alone(const struct job *job, const char *sockets, bool is_detached)
{
    struct alone alone;
    struct outbox_executor voice = {.say = say_event};
    enum status status;
    struct error err;

    memset(&alone, 0, sizeof alone);
    alone.cores.folder = -1;
    error_clear(&err);
    status = start_alone(&alone, job, sockets, is_detached, &err);
    if (status == STATUS_OK) {
        status = loop_run(alone.loop, &err);
    } else {
        log_error("%s", err.message);
        outbox_executor_say_failed(&voice, &err);
    }
    core_share_close(&alone.cores);
    leader_stop(&alone.leader);
    if (!working_stop(&alone.worker)) {
        control_folder_remove(job->folder);
        _exit(status_exit_code(status));
    }
    loop_free(alone.loop);
    return status_exit_code(status);
}
