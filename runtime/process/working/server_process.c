#include "runtime/process/working/server_process.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/process/log.h"
#include "base/process/memory_limit.h"
#include "runtime/data/pgstore/pgstore.h"
#include "runtime/loop/loop_watch.h"
#include "runtime/net/tls.h"
#include "runtime/process/role/experiment.h"
#include "runtime/process/role/role_process.h"
#include "runtime/process/working/opening.h"
#include "runtime/process/working/server_snapshots.h"
#include "runtime/process/working/working.h"
#include "runtime/ps/server/server_save.h"
#include "runtime/ps/worker/embedding_batches.h"
#include "runtime/ps/worker/shard_plan.h"

#define PIECE_BYTES    ((uint32_t)1 << 20)
#define MEMORY_LEAST   ((uint64_t)64 << 20)
#define CLAIM_CHECK_MS 1000
#define LOAD_MS        1000

struct server_process {
    const struct job *job;
    const struct role_options *options;
    struct loop_network network;
    struct loop *loop;
    struct server_snapshots snapshots;
    struct learner_loader *opening; /* NULL: the tables are known, or it has not begun */
    struct row_table_options tables[EMBEDDING_ARRAYS_MAX];
    uint32_t table_count;
    struct shard_plan plan;
    struct server_role role;
    bool has_role; /* else OPENING */
    char bound[MESSAGE_ADDRESS_MAX + 1];
    struct loop_role *loop_role;
    bool is_restoring; /* pieces of a snapshot are read, and then entries of the log */
    bool has_snapshot; /* all of it is read, or there is none */
    bool is_leaving;
    uint32_t snapshots_begun;
    int64_t claim_checked_at;
    double us_per_row; /* paced (experiment.h); 0: not */
};

static void end(struct server_process *process, enum status status, const struct error *why)
{
    log_error("%s", why->message);
    loop_stop(process->loop, status, why);
}

/* ----- the role ----- */

/* The memory given by the options, or else by the statement; 0: neither says. */
static uint64_t memory_of(const struct server_process *process)
{
    return process->options->row_memory > 0 ? process->options->row_memory
                                            : process->job->spec.server_memory;
}

static enum status init_role(struct server_process *process, struct error *err)
{
    const struct jobspec *spec = &process->job->spec;
    const struct server_options options = {
        .job = process->job->id,
        .identity = process->job->identity,
        .index = process->options->index,
        .incarnation = process->snapshots.executor.incarnation,
        .server_count = spec->servers,
        .master = process->options->master,
        .address = process->bound,
        .tables = process->tables,
        .table_count = process->table_count,
        /* A worker has as much memory again, and what all have together is half of the machine's.
         */
        .memory_limit = memory_of(process) > 0 ? memory_of(process) : MEMORY_LEAST,
        .memory_shared = memory_of(process) > 0 ? 0 : memory_limit() / 2,
        .memory_moving = process->options->row_memory_moving,
        .may_grow = process->options->row_memory > 0,
        .staleness = process->plan.lanes > 0 ? 0 : spec->staleness,
        .lanes = process->plan.lanes,
        .batches = process->plan.batches,
        .weighs_stale = true,
        .alive_ms = WORKER_ALIVE_MS,
        .reconnect_ms = WORKER_RECONNECT_MS,
        .search_ms = (int64_t)process->options->patience_seconds * 1000,
        .snapshot_ms = (int64_t)(spec->checkpoint_seconds * 1000),
        .load_ms = LOAD_MS,
        .piece_bytes = PIECE_BYTES,
    };

    process->has_role = true;
    TRY(server_role_init(&process->role, &options, err));
    experiment_crowd(&process->role.layout);
    return STATUS_OK;
}

static void on_message(void *self, int64_t now_ms, peer_id from, const struct message *message,
                       struct outbox *outbox)
{
    struct server_process *process = self;
    const int64_t began_us = loop_now_us();

    if (message->type == MESSAGE_PULL && !message->pull.is_reading)
        experiment_serve(process->us_per_row, message->pull.ids.size / sizeof(uint64_t));
    server_role_on_message(&process->role, now_ms, from, message, outbox);
    if (message->type == MESSAGE_PULL || message->type == MESSAGE_PUSH)
        server_load_note_busy(&process->role.load, loop_now_us() - began_us);
}

static void on_disconnect(void *self, int64_t now_ms, peer_id peer, struct outbox *outbox)
{
    struct server_process *process = self;

    server_role_on_disconnect(&process->role, now_ms, peer, outbox);
}

/* Whether this server has not been replaced: a process that stores nothing for long would not find
 * out otherwise, as leader.c says. */
static bool is_current(struct server_process *process, int64_t now_ms)
{
    struct error err;

    if (now_ms - process->claim_checked_at < CLAIM_CHECK_MS)
        return true;
    process->claim_checked_at = now_ms;
    error_clear(&err);
    if (outbox_executor_check_claim(&process->snapshots.executor, &err) != STATUS_STALE)
        return true;
    end(process, STATUS_STALE, &err);
    return false;
}

static void on_tick(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct server_process *process = self;

    if (is_current(process, now_ms) && !process->is_restoring)
        server_role_on_tick(&process->role, now_ms, outbox);
}

/* ----- its last snapshot ----- */

static void start_role(struct server_process *process, int64_t now_ms, struct outbox *outbox)
{
    if (process->role.clock > 0)
        log_info("goes on from %" PRIu64 " %s", process->role.clock,
                 process->plan.lanes > 0 ? "steps" : "batches");
    log_info("serves rows of %" PRIu32 " tables, in %" PRIu64 " MiB at most", process->table_count,
             process->role.memory.limit >> 20);
    process->is_restoring = false;
    server_role_start(&process->role, now_ms, outbox);
}

/* Where there is no room and its launcher may give more, it ends. */
static void start_failed(struct server_process *process, int64_t now_ms, const struct error *why,
                         struct outbox *outbox)
{
    if (process->options->row_memory > 0 && server_role_lacks_memory(&process->role, why->status)) {
        end(process, why->status, why);
        return;
    }
    log_error("%s", why->message);
    process->is_restoring = false;
    server_role_start_failed(&process->role, now_ms, why, outbox);
}

/* The role has some of a snapshot that is of no use: an empty one takes its place, and the snapshot
 * before that one is tried. */
static void try_next(struct server_process *process, int64_t now_ms, struct outbox *outbox)
{
    struct error err;

    error_clear(&err);
    server_role_deinit(&process->role);
    if (init_role(process, &err) != STATUS_OK)
        start_failed(process, now_ms, &err, outbox);
    else
        process->has_snapshot = !server_snapshots_find(&process->snapshots);
}

static void restore_piece(struct server_process *process, int64_t now_ms, struct outbox *outbox)
{
    struct error err;
    enum status status;

    error_clear(&err);
    status =
        server_snapshots_read(&process->snapshots, &process->role, &process->has_snapshot, &err);
    if (status == STATUS_LIMIT || status == STATUS_NO_MEMORY)
        start_failed(process, now_ms, &err, outbox);
    else if (status != STATUS_OK)
        try_next(process, now_ms, outbox);
}

/* Restores the steps of the log up to an entry that is damaged: the entries behind it are lost. */
static void restore_log(struct server_process *process, int64_t now_ms, struct outbox *outbox)
{
    struct error err;
    enum status status;

    error_clear(&err);
    status = server_snapshots_read_log(&process->snapshots, &process->role, &err);
    if (status == STATUS_LIMIT || status == STATUS_NO_MEMORY)
        start_failed(process, now_ms, &err, outbox);
    else if (status != STATUS_OK)
        start_role(process, now_ms, outbox);
}

static void restore(struct server_process *process, int64_t now_ms, struct outbox *outbox)
{
    if (process->has_snapshot)
        restore_log(process, now_ms, outbox);
    else
        restore_piece(process, now_ms, outbox);
}

static bool has_work(void *self)
{
    struct server_process *process = self;

    return process->is_restoring ||
           (server_save_has_work(&process->role) &&
            server_snapshots_may_go_on(&process->snapshots, &process->role));
}

static void work(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct server_process *process = self;

    if (process->is_restoring)
        restore(process, now_ms, outbox);
    else
        server_save_work(&process->role, now_ms, outbox);
    if (process->is_leaving && !server_save_has_work(&process->role))
        outbox_end(outbox, STATUS_OK);
}

/* Steps that are counted from a snapshot's begin on are behind it. */
static enum status perform(void *self, const struct outbox *outbox, struct error *err)
{
    struct server_process *process = self;

    if (process->role.snapshots != process->snapshots_begun)
        outbox_executor_begin_log(&process->snapshots.executor);
    process->snapshots_begun = process->role.snapshots;
    return server_snapshots_perform(&process->snapshots, outbox, err);
}

/* ----- opening ----- */

static enum status find_tables(struct server_process *process, struct error *err)
{
    const struct jobspec *spec = &process->job->spec;
    const struct dataset *dataset = opening_dataset(process->opening);
    struct shard_plan *plan = &process->plan;

    if (!dataset) {
        *err = *opening_error(process->opening);
        return err->status;
    }
    TRY(shard_plan_of(spec, dataset->train.rows, plan, err));
    return embedding_tables(spec, dataset, plan->steps, process->tables, &process->table_count,
                            err);
}

static enum status join(struct server_process *process, struct error *err)
{
    const struct role role = {.self = process,
                              .on_message = on_message,
                              .on_disconnect = on_disconnect,
                              .on_tick = on_tick,
                              .has_work = has_work,
                              .work = work,
                              .perform = perform,
                              .context = process};

    return loop_add_role(process->loop, &role, process->options->listen, process->bound,
                         sizeof process->bound, &process->loop_role, err);
}

/* The role is there in any case: it is what the master hears of. */
static void begin_role(struct server_process *process, enum status status, struct error *why)
{
    struct outbox *outbox = loop_outbox(process->loop_role);
    struct error ignored;

    if (status == STATUS_OK)
        status = init_role(process, why);
    else
        (void)init_role(process, &ignored);
    if (status != STATUS_OK) {
        start_failed(process, loop_now_ms(), why, outbox);
    } else {
        process->has_snapshot = !server_snapshots_find(&process->snapshots);
        process->is_restoring = true;
    }
    loop_flush(process->loop_role);
}

static void on_ready(void *context)
{
    struct server_process *process = context;
    struct error err;
    enum status status, joined;

    error_clear(&err);
    status = find_tables(process, &err);
    opening_free(process->opening);
    process->opening = NULL;
    /* The database is away: the launcher starts the server again later. */
    joined = status == STATUS_CONNECTION ? status : join(process, &err);
    if (joined != STATUS_OK)
        end(process, joined, &err);
    else
        begin_role(process, status, &err);
}

/* ----- life ----- */

static void on_sigterm(void *context)
{
    struct server_process *process = context;

    log_info("is asked to go");
    role_say_leaving();
    process->is_leaving = true;
    if (process->has_role && process->role.options.snapshot_ms > 0)
        server_save_begin(&process->role, loop_now_ms());
    if (!process->has_role || !server_save_has_work(&process->role))
        loop_stop(process->loop, STATUS_OK, NULL);
}

static enum status check_spec(const struct job *job, const struct role_options *options,
                              struct error *err)
{
    if (job->spec.servers > 0 && options->index < JOBSPEC_SERVERS_MAX)
        return STATUS_OK;
    return fail(err, STATUS_INVALID, "parameter server %" PRIu32 " of a job that has %d at most",
                options->index, job->spec.servers > 0 ? JOBSPEC_SERVERS_MAX : 0);
}

static enum status start_server(struct server_process *process, struct error *err)
{
    const struct role_options *options = process->options;
    const struct identity self = {process->job->id, IDENTITY_SERVER, options->index};

    TRY(check_spec(process->job, options, err));
    TRY(role_open_network(options, &self, &process->network, err));
    TRY(server_snapshots_open(&process->snapshots, process->job, options->index,
                              options->incarnation, err));
    TRY(loop_new(ROLE_TICK_MS, &process->loop, err));
    TRY(server_snapshots_sync_beside(&process->snapshots, process->loop, err));
    loop_use_network(process->loop, &process->network);
    if (role_has_lifeline())
        TRY(role_watch_lifeline(process->loop, NULL, NULL, err));
    TRY(opening_start(process->loop, process->job, OPENING_ROWS_ALONE, on_ready, process,
                      &process->opening, err));
    return loop_on_signal(process->loop, SIGTERM, on_sigterm, process, err);
}

/* Logs the batches that its rows have counted: at the end of the job each batch once. */
static void say_counted(const struct server_role *role)
{
    const struct shard_counts *shards = &role->shards;
    const char *what = role->options.lanes > 0 ? "steps" : "batches";
    uint32_t least = UINT32_MAX, most = 0;

    for (uint32_t i = 0; i < shards->count; i++) {
        least = shards->batches[i] < least ? shards->batches[i] : least;
        most = shards->batches[i] > most ? shards->batches[i] : most;
    }
    log_info("has counted %" PRIu64 " %s, %" PRIu32 " to %" PRIu32 " batches of each of %" PRIu32
             " shards; %" PRIu64 " came again, %" PRIu64 " pulls waited",
             role->clock, what, most > 0 ? least : 0, most, shards->count, role->counts.repeated,
             role->counts.waits);
}

/* Ends the process, and with it a thread that still reads or syncs. */
static void stop(struct server_process *process, enum status status, const struct error *err)
{
    if (process->has_role && process->role.state != SERVER_FAILED && process->role.clock > 0)
        say_counted(&process->role);
    if ((process->opening && !opening_is_done(process->opening)) ||
        server_snapshots_is_syncing(&process->snapshots))
        _exit(role_finish(status, err));
    if (process->opening)
        opening_free(process->opening);
    if (process->has_role)
        server_role_deinit(&process->role);
    loop_free(process->loop);
    tls_free(process->network.tls);
    server_snapshots_close(&process->snapshots);
}

int run_server(const struct role_options *options)
{
    struct server_process process = {.options = options};
    struct pgstore *tables;
    char who[32];
    enum status status;
    struct error err;
    struct job job;

    error_clear(&err);
    snprintf(who, sizeof who, "server/%" PRIu32, options->index);
    log_open(who, LOG_INFO);
    role_raise_descriptor_limit();
    signal(SIGXFSZ, SIG_IGN); /* a limit on files costs a snapshot, not the server */
    signal(SIGINT, SIG_IGN);
    role_end_by_sigterm();
    status = role_open_job(options, &job, &tables, &err);
    if (status != STATUS_OK)
        return role_finish(status, &err);
    process.job = &job;
    process.us_per_row = experiment_server_us(options->index);
    status = start_server(&process, &err);
    if (status == STATUS_OK) {
        status = loop_run(process.loop, &err);
        if (status != STATUS_OK && !err.message[0] && process.has_role)
            err = process.role.failure;
        if (status == STATUS_CONNECTION && !err.message[0])
            fail(&err, status, "no master at %s for %" PRIu32 " s", options->master,
                 options->patience_seconds);
    }
    stop(&process, status, &err);
    job_deinit(&job);
    pgstore_close(tables);
    return role_finish(status, &err);
}
