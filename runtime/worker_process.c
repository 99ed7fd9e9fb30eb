/*
 * The worker as a process of its own. Of a job that scores a table it is a scorer.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/progress.h"
#include "net/tls.h"
#include "pgstore/pgstore.h"
#include "runtime/end_watch.h"
#include "runtime/host.h"
#include "runtime/pulse.h"
#include "runtime/role_process.h"
#include "runtime/score_host.h"

#define PULSE_MS 1000
#define STUCK_MS 500 /* a master that is started again in its place is there sooner */

static void on_worker_sigterm(void *context)
{
    log_info("is asked to go");
    role_say_leaving();
    worker_host_leave(context);
}

static void on_scorer_sigterm(void *context)
{
    log_info("is asked to go");
    role_say_leaving();
    scorer_host_leave(context);
}

struct worker_process {
    bool scores;
    struct worker_host host;
    struct scorer_host scorer;
    struct loop_network network;
    struct loop *loop;
    struct pulse *pulse;
    const struct pgstore *tables; /* NULL: the job is in a folder */
    struct end_watch *end_watch;
    int64_t stuck_at; /* 0: it is not */
};

static void on_job_over(void *context)
{
    struct worker_process *process = context;
    struct error why;

    error_clear(&why);
    fail(&why, STATUS_INTERRUPTED, "the job is over");
    loop_stop(process->loop, STATUS_INTERRUPTED, &why);
}

/* What it cannot hand back now is wanted by a later master, or by nobody if the job is over. */
static void look_for_end(struct worker_process *process, int64_t now_ms)
{
    struct error err;

    if (!process->tables || process->end_watch || !worker_host_is_stuck(&process->host)) {
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

static int64_t search_ms(const struct role_options *options)
{
    return (int64_t)options->patience_seconds * 1000;
}

static enum status start_scorer(struct worker_process *process, const struct job *job,
                                const struct role_options *options, struct error *err)
{
    process->scores = true;
    TRY(scorer_host_start(&process->scorer, process->loop, job, options->index,
                          options->incarnation, options->master, search_ms(options), err));
    return loop_on_signal(process->loop, SIGTERM, on_scorer_sigterm, &process->scorer, err);
}

static enum status start_worker(struct worker_process *process, const struct job *job,
                                const struct role_options *options, struct error *err)
{
    struct identity self = {job->id, IDENTITY_WORKER, options->index};

    TRY(role_open_network(options, &self, &process->network, err));
    TRY(loop_new(TICK_MS, &process->loop, err));
    loop_use_network(process->loop, &process->network);
    if (role_has_lifeline())
        TRY(role_watch_lifeline(process->loop, NULL, NULL, err));
    if (job->spec.kind != SPEC_TRAIN)
        return start_scorer(process, job, options, err);
    loop_on_tick(process->loop, on_turn, process);
    TRY(pulse_start(job->id, options->index, options->incarnation, &process->network, PULSE_MS,
                    &process->pulse, err));
    TRY(worker_host_start(&process->host, process->loop, job, options->index, options->incarnation,
                          options->master, options->listen, search_ms(options), err));
    return loop_on_signal(process->loop, SIGTERM, on_worker_sigterm, &process->host, err);
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
    pulse_stop(process.pulse);
    end_watch_stop(process.end_watch);
    if (process.scores)
        scorer_host_stop(&process.scorer);
    else if (!worker_host_stop(&process.host))
        _exit(role_finish(status, &err));
    loop_free(process.loop);
    tls_free(process.network.tls);
    job_deinit(&job);
    pgstore_close(tables);
    return role_finish(status, &err);
}
