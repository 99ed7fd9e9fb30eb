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
#include "runtime/host.h"
#include "runtime/pulse.h"
#include "runtime/role_process.h"
#include "runtime/score_host.h"

#define PULSE_MS 1000

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
};

/* Also before the worker has joined: its loop turns while a thread of its own opens the rows. */
static void note_turn(void *context, int64_t now_ms)
{
    (void)context;
    (void)now_ms;
    progress_note();
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
    loop_on_tick(process->loop, note_turn, NULL);
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
    status = start_worker(&process, &job, options, &err);
    if (status == STATUS_OK) {
        status = loop_run(process.loop, &err);
        if (status == STATUS_CONNECTION && !err.message[0])
            fail(&err, status, "no master at %s for %" PRIu32 " s", options->master,
                 options->patience_seconds);
    }
    pulse_stop(process.pulse);
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
