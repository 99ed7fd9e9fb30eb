#include "runtime/process/working/worker_process.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arithmetic/self_test.h"
#include "base/process/log.h"
#include "base/process/progress.h"
#include "runtime/data/pgstore/pgstore.h"
#include "runtime/launch/exit_code.h"
#include "runtime/loop/loop_watch.h"
#include "runtime/net/tls.h"
#include "runtime/process/role/alive_sender.h"
#include "runtime/process/role/end_watch.h"
#include "runtime/process/role/experiment.h"
#include "runtime/process/role/role_process.h"
#include "runtime/process/working/working.h"

#define ALIVE_MS 1000
#define STUCK_MS 500 /* a master that is started again in its place is there sooner */

struct worker_process {
    struct working working;
    struct loop_network network;
    struct loop *loop;
    struct alive_sender *alive_sender;
    const struct pgstore *tables; /* NULL: the job is in a folder */
    struct end_watch *end_watch;
    int64_t stuck_at; /* 0: it is not */
};

static void on_sigterm(void *context)
{
    struct worker_process *process = context;

    log_info("is asked to go");
    role_say_leaving();
    working_leave(&process->working);
}

/* cores N, from the supervisor */
static void on_line(void *context, struct slice line)
{
    struct worker_process *process = context;
    const struct slice word = SLICE("cores ");
    int64_t cores;

    if (line.size > word.size && memcmp(line.data, word.data, word.size) == 0 &&
        slice_to_integer((struct slice){line.data + word.size, line.size - word.size}, &cores) &&
        cores > 0 && cores < UINT32_MAX)
        working_use_cores(&process->working, (uint32_t)cores);
}

static void on_job_over(void *context)
{
    struct worker_process *process = context;
    struct error why;

    error_clear(&why);
    fail(&why, STATUS_INTERRUPTED, "the job is over");
    loop_stop(process->loop, STATUS_INTERRUPTED, &why);
}

/* It cannot hand its work over now: a later master wants it, unless the job is over. */
static void look_for_end(struct worker_process *process, int64_t now_ms)
{
    struct error err;

    if (!process->tables || process->end_watch || !working_is_stuck(&process->working)) {
        process->stuck_at = 0;
        return;
    }
    if (process->stuck_at == 0)
        process->stuck_at = now_ms;
    if (now_ms - process->stuck_at < STUCK_MS)
        return;
    error_clear(&err);
    if (end_watch_start(process->tables, process->loop, on_job_over, process, &process->end_watch,
                        &err) == STATUS_OK)
        return;
    log_warning("is the job over? %s", err.message);
    process->tables = NULL;
}

/* Progress is noted also before the worker has joined: its loop turns while a thread of its own
 * opens the rows. */
static void on_turn(void *context, int64_t now_ms)
{
    progress_note();
    look_for_end(context, now_ms);
}

static enum status start_worker(struct worker_process *process, const struct job *job,
                                const struct role_options *options, struct error *err)
{
    struct identity self = {job->id, IDENTITY_WORKER, options->index};
    struct working_options own = {.job = job,
                                  .index = options->index,
                                  .incarnation = options->incarnation,
                                  .master = options->master,
                                  .listen = options->listen,
                                  .search_ms = (int64_t)options->patience_seconds * 1000};

    TRY(role_open_network(options, &self, &process->network, err));
    TRY(loop_new(ROLE_TICK_MS, &process->loop, err));
    loop_use_network(process->loop, &process->network);
    if (role_has_lifeline())
        TRY(role_watch_lifeline(process->loop, on_line, process, err));
    loop_on_tick(process->loop, on_turn, process);
    if (working_needs_alive_sender(job))
        TRY(alive_sender_start(job->id, options->index, options->incarnation, &process->network,
                               ALIVE_MS, &process->alive_sender, err));
    own.loop = process->loop;
    TRY(working_start(&process->working, &own, err));
    return loop_on_signal(process->loop, SIGTERM, on_sigterm, process, err);
}

/* Before it has a lane. */
static enum status check_machine(const struct role_options *options, struct error *err)
{
    if (experiment_is_unsound(options->index))
        return fail(err, STATUS_CORRUPT, "this machine computes wrongly, as TOTRAIN_UNSOUND says");
    return self_test(err);
}

int run_worker(const struct role_options *options)
{
    struct worker_process process;
    struct pgstore *tables;
    char who[32];
    enum status status;
    struct error err;
    struct job job;

    memset(&process, 0, sizeof process);
    error_clear(&err);
    snprintf(who, sizeof who, "worker/%" PRIu32, options->index);
    log_open(who, LOG_INFO);
    role_raise_descriptor_limit();
    signal(SIGINT, SIG_IGN);
    role_end_by_sigterm();
    status = check_machine(options, &err);
    if (status != STATUS_OK) {
        role_finish(status, &err);
        return EXIT_UNSOUND;
    }
    status = role_open_job(options, &job, &tables, &err);
    if (status != STATUS_OK)
        return role_finish(status, &err);
    process.tables = tables;
    status = start_worker(&process, &job, options, &err);
    if (status == STATUS_OK) {
        status = loop_run(process.loop, &err);
        if (status == STATUS_CONNECTION && !err.message[0])
            fail(&err, status, "no master at %s for %" PRIu32 " s", options->master,
                 options->patience_seconds);
    }
    alive_sender_stop(process.alive_sender);
    end_watch_stop(process.end_watch);
    if (!working_stop(&process.working))
        _exit(role_finish(status, &err));
    loop_free(process.loop);
    tls_free(process.network.tls);
    job_deinit(&job);
    pgstore_close(tables);
    return role_finish(status, &err);
}
