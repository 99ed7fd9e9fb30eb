/*
 * The master and the worker as processes of their own. Of a job that scores a table
 * they are the dispatcher and a scorer.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "net/tls.h"
#include "pgstore/pgstore.h"
#include "runtime/host.h"
#include "runtime/job_tables.h"
#include "runtime/pulse.h"
#include "runtime/roles.h"
#include "runtime/score_host.h"

#define LIFELINE           0
#define DESCRIPTORS_WANTED 8192
#define ALIVE_MS           1000
#define PULSE_MS           1000
/* To the supervisor: the end that follows is none of a failure. */
#define LEAVING_LINE "leaving\n"

static void say(const char *text, size_t size)
{
    /* A supervisor that is gone closes the lifeline: that is what ends us. */
    (void)send(LIFELINE, text, size, MSG_NOSIGNAL);
}

static void say_event(void *context, const struct job_event *event, struct slice line)
{
    (void)context;
    (void)event;
    say(line.data, line.size);
}

static void say_replace(void *context, uint32_t index)
{
    char line[32];
    (void)context;

    say(line, (size_t)snprintf(line, sizeof line, "replace %" PRIu32 "\n", index));
}

static void on_lifeline_end(void *context)
{
    struct error err;

    error_clear(&err);
    fail(&err, STATUS_CONNECTION, "the lifeline is closed");
    loop_stop(context, STATUS_CONNECTION, &err);
}

/* The loop's end comes at once; what a peer would still have to read does not
 * matter to a process that lost its supervisor. */
static int finish(enum status status, const struct error *err)
{
    if (status != STATUS_OK)
        log_warning("ends: %s", err->message[0] ? err->message : status_text(status));
    return status_exit_code(status);
}

/* Two connections a worker: a thousand of them need more than the usual 1024.
 * Only select() would mind, and nothing here calls it. */
static void raise_descriptor_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= DESCRIPTORS_WANTED)
        return;
    limit.rlim_cur = limit.rlim_max < DESCRIPTORS_WANTED ? limit.rlim_max : DESCRIPTORS_WANTED;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

static void say_blamed(void *context, uint32_t index)
{
    char line[32];
    (void)context;

    say(line, (size_t)snprintf(line, sizeof line, "blamed %" PRIu32 "\n", index));
}

struct master_process {
    bool scores; /* which of the two it is */
    struct master_host host;
    struct dispatch_host dispatch;
    struct loop_network network;
    struct loop *loop;
    int64_t alive_at;
};

/* A master that is stopped cannot say so: the supervisor counts on this. */
static void say_alive(void *context, int64_t now_ms)
{
    struct master_process *process = context;

    if (now_ms - process->alive_at < ALIVE_MS)
        return;
    process->alive_at = now_ms;
    say("alive\n", 6);
}

static void cancel_job(struct master_process *process)
{
    if (process->scores)
        dispatch_host_cancel(&process->dispatch);
    else
        master_host_cancel(&process->host);
}

static void fail_job(struct master_process *process, const struct error *err)
{
    if (process->scores)
        dispatch_host_fail(&process->dispatch, err);
    else
        master_host_fail(&process->host, err);
}

static void want_workers(struct master_process *process, uint64_t version, uint32_t workers)
{
    if (process->scores)
        dispatch_host_want(&process->dispatch, version, workers);
    else
        master_host_want(&process->host, version, workers);
}

static void leave_job(struct master_process *process)
{
    if (process->scores)
        dispatch_host_leave(&process->dispatch);
    else
        master_host_leave(&process->host);
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
        want_workers(process, (uint64_t)version, (uint32_t)workers);
}

static void on_master_line(void *context, struct slice line)
{
    struct master_process *process = context;
    struct error err;

    if (slice_is(line, "cancel")) {
        cancel_job(process);
    } else if (line.size > 7 && memcmp(line.data, "wanted ", 7) == 0) {
        take_wanted(process, (struct slice){line.data + 7, line.size - 7});
    } else if (line.size > 5 && memcmp(line.data, "fail ", 5) == 0) {
        error_clear(&err);
        fail(&err, STATUS_FAILED, "%.*s", (int)line.size - 5, line.data + 5);
        fail_job(process, &err);
    }
}

static void on_master_lifeline_end(void *context)
{
    on_lifeline_end(((struct master_process *)context)->loop);
}

static void on_master_sigterm(void *context)
{
    struct master_process *process = context;

    say(LEAVING_LINE, sizeof LEAVING_LINE - 1);
    leave_job(process);
}

/* Credentials of somebody else are found out before they are shown to anybody. */
static enum status open_network(const struct role_options *options, const struct identity *self,
                                struct loop_network *network, struct error *err)
{
    char expected[IDENTITY_TEXT_MAX], found[IDENTITY_TEXT_MAX];

    *network = (struct loop_network){.master = options->master};
    if (!options->tls)
        return STATUS_OK;
    TRY(tls_open(options->tls, &network->tls, err));
    if (identity_equal(tls_identity(network->tls), self))
        return STATUS_OK;
    identity_describe(self, expected);
    identity_describe(tls_identity(network->tls), found);
    return fail(err, STATUS_PERMISSION, "the certificate in %s is of %s, expected that of %s",
                options->tls, found, expected);
}

static enum status open_job(const struct role_options *options, struct job *job,
                            struct pgstore **tables, struct error *err)
{
    *tables = NULL;
    return options->database ? job_open_tables(options->folder, options->database, options->schema,
                                               job, tables, err)
                             : job_open(options->folder, job, err);
}

static enum status start_host(struct master_process *process, const struct job *job,
                              const struct role_options *options, struct error *err)
{
    const struct recorder recorder = {
        .say = say_event, .replace = say_replace, .blame = say_blamed};

    process->scores = job->spec.kind != SPEC_TRAIN;
    if (process->scores)
        return dispatch_host_start(&process->dispatch, process->loop, job, &recorder,
                                   options->listen, options->incarnation, getppid(), err);
    return master_host_start(&process->host, process->loop, job, &recorder, options->listen,
                             options->incarnation, getppid(), err);
}

static void stop_host(struct master_process *process)
{
    if (process->scores)
        dispatch_host_stop(&process->dispatch);
    else
        master_host_stop(&process->host);
}

static enum status start_master(struct master_process *process, const struct job *job,
                                const struct role_options *options, struct error *err)
{
    struct line_reader reader = {
        .context = process, .on_line = on_master_line, .on_end = on_master_lifeline_end};
    struct identity self = {job->id, IDENTITY_MASTER, 0};

    TRY(open_network(options, &self, &process->network, err));
    TRY(loop_new(TICK_MS, &process->loop, err));
    loop_use_network(process->loop, &process->network);
    TRY(loop_read_lines(process->loop, LIFELINE, reader, NULL, err));
    loop_on_tick(process->loop, say_alive, process);
    TRY(start_host(process, job, options, err));
    return loop_on_signal(process->loop, SIGTERM, on_master_sigterm, process, err);
}

/* Of a job that had ended before: its end. */
static bool find_end(const struct master_process *process, enum status *status, struct error *err)
{
    enum job_state state;

    if (process->scores || !recorder_has_ended(&process->host.recorder, &state))
        return false;
    log_info("the job is %s already", job_state_name(state));
    error_clear(err);
    *status = state == JOB_STATE_DONE        ? STATUS_OK
              : state == JOB_STATE_CANCELLED ? STATUS_INTERRUPTED
                                             : STATUS_FAILED;
    return true;
}

static enum status run_leader(struct master_process *process, const struct job *job,
                              const struct role_options *options, struct error *err)
{
    struct recorder voice = {.say = say_event};
    enum status status = start_master(process, job, options, err);

    if (status == STATUS_OK)
        return loop_run(process->loop, err);
    if (job->journal && find_end(process, &status, err))
        return status;
    if (!job->journal || status != STATUS_CONNECTION)
        recorder_say_failed(&voice, err);
    return status;
}

int run_master(const struct role_options *options)
{
    struct master_process process;
    struct pgstore *tables;
    enum status status;
    struct error err;
    struct job job;

    memset(&process, 0, sizeof process);
    error_clear(&err);
    log_open("master", LOG_INFO);
    raise_descriptor_limit();
    signal(SIGXFSZ, SIG_IGN); /* a limit on files is an error of the store, not a death */
    signal(SIGINT, SIG_IGN);  /* the supervisor decides what Ctrl-C means */
    status = open_job(options, &job, &tables, &err);
    if (status != STATUS_OK)
        return finish(status, &err);
    status = run_leader(&process, &job, options, &err);
    loop_free(process.loop);
    tls_free(process.network.tls);
    stop_host(&process);
    job_deinit(&job);
    pgstore_close(tables);
    return finish(status, &err);
}

static void on_worker_sigterm(void *context)
{
    say(LEAVING_LINE, sizeof LEAVING_LINE - 1);
    worker_host_leave(context);
}

static void on_scorer_sigterm(void *context)
{
    say(LEAVING_LINE, sizeof LEAVING_LINE - 1);
    scorer_host_leave(context);
}

static void on_worker_line(void *context, struct slice line)
{
    (void)context;
    (void)line;
}

struct worker_process {
    bool scores;
    struct worker_host host;
    struct scorer_host scorer;
    struct loop_network network;
    struct loop *loop;
    struct pulse *pulse;
};

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
    struct line_reader reader = {.on_line = on_worker_line, .on_end = on_lifeline_end};
    struct identity self = {job->id, IDENTITY_WORKER, options->index};

    TRY(open_network(options, &self, &process->network, err));
    TRY(loop_new(TICK_MS, &process->loop, err));
    loop_use_network(process->loop, &process->network);
    reader.context = process->loop;
    TRY(loop_read_lines(process->loop, LIFELINE, reader, NULL, err));
    if (job->spec.kind != SPEC_TRAIN)
        return start_scorer(process, job, options, err);
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
    raise_descriptor_limit();
    signal(SIGINT, SIG_IGN);
    status = open_job(options, &job, &tables, &err);
    if (status != STATUS_OK)
        return finish(status, &err);
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
        _exit(finish(status, &err));
    loop_free(process.loop);
    tls_free(process.network.tls);
    job_deinit(&job);
    pgstore_close(tables);
    return finish(status, &err);
}
