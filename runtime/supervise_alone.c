/*
 * A job of one worker: master and worker share the supervisor's loop.
 */
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "launch/control.h"
#include "runtime/host.h"
#include "runtime/staffing.h"
#include "runtime/supervise.h"

#define MASTER_ADDRESS LOOP_LOCAL "master"

struct alone {
    struct loop *loop;
    struct master_host master;
    struct worker_host worker;
    struct supervise_watch watch;
};

static void say_event(void *context, const struct job_event *event, struct slice line)
{
    (void)context;
    supervise_say(event, line);
}

static void never_replace(void *context, uint32_t index, uint32_t incarnation)
{
    (void)context;
    (void)incarnation;
    (void)index; /* its silence is ours: see master_host_start */
}

static void cancel(void *context)
{
    struct alone *alone = context;
    master_host_cancel(&alone->master);
}

static enum status scale(void *context, int64_t workers, struct error *err)
{
    struct staffing one;
    (void)context;

    staffing_init(&one, 1, 1, 1);
    return staffing_want(&one, workers, err);
}

static enum status start(struct alone *alone, const struct job *job, const char *sockets,
                         bool is_detached, struct error *err)
{
    struct recorder recorder = {.say = say_event, .replace = never_replace};

    TRY(loop_new(TICK_MS, &alone->loop, err));
    TRY(master_host_start(&alone->master, alone->loop, job, &recorder, MASTER_ADDRESS, 0, getpid(),
                          err));
    alone->watch = (struct supervise_watch){
        .cancel = cancel, .scale = scale, .context = alone, .is_detached = is_detached};
    TRY(supervise_watch(alone->loop, sockets, &alone->watch, err));
    return worker_host_start(&alone->worker, alone->loop, job, 0, 0, MASTER_ADDRESS, NULL, 0, err);
}

int supervise_alone(const struct job *job, const char *sockets, bool is_detached)
{
    struct alone alone;
    struct recorder voice = {.say = say_event};
    enum status status;
    struct error err;

    memset(&alone, 0, sizeof alone);
    error_clear(&err);
    status = start(&alone, job, sockets, is_detached, &err);
    if (status == STATUS_OK) {
        status = loop_run(alone.loop, &err);
    } else {
        log_error("%s", err.message);
        recorder_say_failed(&voice, &err);
    }
    master_host_stop(&alone.master);
    if (!worker_host_stop(&alone.worker)) {
        control_folder_remove(job->folder);
        _exit(status_exit_code(status));
    }
    loop_free(alone.loop);
    return status_exit_code(status);
}
