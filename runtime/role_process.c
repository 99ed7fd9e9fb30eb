/*
 * The master and the worker as processes of their own.
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
#include "runtime/host.h"
#include "runtime/pulse.h"
#include "runtime/roles.h"

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

struct master_process {
    struct master_host host;
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

/* VERSION WORKERS */
static void take_wanted(struct master_process *process, struct slice numbers)
{
    const char *space = memchr(numbers.data, ' ', numbers.size);
    size_t length = space ? (size_t)(space - numbers.data) : numbers.size;
    int64_t version, workers;

    if (space && slice_to_integer((struct slice){numbers.data, length}, &version) &&
        slice_to_integer((struct slice){space + 1, numbers.size - length - 1}, &workers) &&
        workers >= 0 && workers <= UINT32_MAX)
        master_host_want(&process->host, (uint64_t)version, (uint32_t)workers);
}

static void on_master_line(void *context, struct slice line)
{
    struct master_process *process = context;
    struct error err;

    if (slice_is(line, "cancel")) {
        master_host_cancel(&process->host);
    } else if (line.size > 7 && memcmp(line.data, "wanted ", 7) == 0) {
        take_wanted(process, (struct slice){line.data + 7, line.size - 7});
    } else if (line.size > 5 && memcmp(line.data, "fail ", 5) == 0) {
        error_clear(&err);
        fail(&err, STATUS_FAILED, "%.*s", (int)line.size - 5, line.data + 5);
        master_host_fail(&process->host, &err);
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
    master_host_leave(&process->host);
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

static enum status start_master(struct master_process *process, const struct job *job,
                                const struct role_options *options, struct error *err)
{
    struct recorder recorder = {.say = say_event, .replace = say_replace};
    struct line_reader reader = {
        .context = process, .on_line = on_master_line, .on_end = on_master_lifeline_end};
    struct identity self = {job->id, IDENTITY_MASTER, 0};

    TRY(open_network(options, &self, &process->network, err));
    TRY(loop_new(TICK_MS, &process->loop, err));
    loop_use_network(process->loop, &process->network);
    TRY(loop_read_lines(process->loop, LIFELINE, reader, NULL, err));
    loop_on_tick(process->loop, say_alive, process);
    TRY(master_host_start(&process->host, process->loop, job, &recorder, options->listen,
                          options->incarnation, getppid(), err));
    return loop_on_signal(process->loop, SIGTERM, on_master_sigterm, process, err);
}

int run_master(const struct role_options *options)
{
    struct master_process process;
    struct recorder voice = {.say = say_event};
    enum status status;
    struct error err;
    struct job job;

    memset(&process, 0, sizeof process);
    error_clear(&err);
    log_open("master", LOG_INFO);
    raise_descriptor_limit();
    signal(SIGXFSZ, SIG_IGN); /* a limit on files is an error of the store, not a death */
    signal(SIGINT, SIG_IGN);  /* the supervisor decides what Ctrl-C means */
    status = job_open(options->folder, &job, &err);
    if (status != STATUS_OK)
        return finish(status, &err);
    status = start_master(&process, &job, options, &err);
    if (status == STATUS_OK)
        status = loop_run(process.loop, &err);
    else
        recorder_say_failed(&voice, &err);
    loop_free(process.loop);
    tls_free(process.network.tls);
    master_host_stop(&process.host);
    job_deinit(&job);
    return finish(status, &err);
}

static void on_worker_sigterm(void *context)
{
    say(LEAVING_LINE, sizeof LEAVING_LINE - 1);
    worker_host_leave(context);
}

static void on_worker_line(void *context, struct slice line)
{
    (void)context;
    (void)line;
}

struct worker_process {
    struct worker_host host;
    struct loop_network network;
    struct loop *loop;
    struct pulse *pulse;
};

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
    TRY(pulse_start(job->id, options->index, options->incarnation, &process->network, PULSE_MS,
                    &process->pulse, err));
    TRY(worker_host_start(&process->host, process->loop, job, options->index, options->incarnation,
                          options->master, options->listen, err));
    return loop_on_signal(process->loop, SIGTERM, on_worker_sigterm, &process->host, err);
}

int run_worker(const struct role_options *options)
{
    struct worker_process process;
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
    status = job_open(options->folder, &job, &err);
    if (status != STATUS_OK)
        return finish(status, &err);
    status = start_worker(&process, &job, options, &err);
    if (status == STATUS_OK)
        status = loop_run(process.loop, &err);
    pulse_stop(process.pulse);
    if (!worker_host_stop(&process.host))
        _exit(finish(status, &err));
    loop_free(process.loop);
    tls_free(process.network.tls);
    job_deinit(&job);
    return finish(status, &err);
}
