#include "runtime/host.h"

#include <string.h>

#include "base/log.h"
#include "base/progress.h"
#include "runtime/build.h"
#include "runtime/exposition.h"

#define HEARTBEAT_MS         1000
#define DEAD_MS              5000
#define HANG_MS              20000
#define PUBLISH_MS           600000
#define REGROUP_MS           20
#define SETTLE_MS            300
#define REPORT_MS            100
#define GATHER_MS            100
#define LEAVE_MS             100 /* of pods, which are deleted together */
#define TRY_MS               10000
#define APART_MS             5000
#define RECONNECT_MS         50
#define SPEED_MS             100
#define LOOK_US              200  /* what waking takes, and equal workers differ by */
#define SEGMENT_LEAST        1024 /* reals: 8 KB of partial sums, as dear as their message */
#define SNAPSHOT_PIECE_BYTES ((size_t)1 << 20)
#define STATE_PIECE_BYTES    ((size_t)1 << 20)
#define STATE_PIECES         4 /* the giver computes some milliseconds between two looks */
#define MODEL_BYTES          ((size_t)1 << 20) /* a transaction of the store's */
#define GRACE_MS             25000             /* Kubernetes kills after 30 s */

static void master_message(void *self, int64_t now_ms, peer_id from, const struct message *message,
                           struct outbox *outbox)
{
    struct master_host *host = self;
    master_on_message(&host->master, now_ms, from, message, outbox);
}

static void master_disconnect(void *self, int64_t now_ms, peer_id peer, struct outbox *outbox)
{
    struct master_host *host = self;
    master_on_disconnect(&host->master, now_ms, peer, outbox);
}

static void master_tick(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct master_host *host = self;
    struct checkpoint_outcome outcome;

    if (!leader_still_leads(&host->leader, now_ms))
        return;
    if (recorder_take_outcome(&host->leader.recorder, &outcome))
        master_on_stored(&host->master, now_ms, outcome.id, &outcome.why, outbox);
    master_on_tick(&host->master, now_ms, outbox);
}

static enum status read_piece(void *context, const struct checkpoint *checkpoint, uint64_t position,
                              struct text *out, struct error *err)
{
    struct recorder *recorder = context;
    enum status status;

    store_call_begin(recorder->call, loop_now_ms());
    status = checkpoint_read_piece(recorder->store, checkpoint, position, out, err);
    store_call_end(recorder->call);
    return status;
}

static struct master_options master_options_of(const struct job *job, const struct leader *leader,
                                               bool is_local, int64_t supervisor)
{
    return (struct master_options){
        .job = job->id,
        .identity = job->identity,
        .incarnation = leader->recorder.incarnation,
        .min_workers = job->spec.min_workers,
        .max_workers = job->spec.max_workers,
        .epochs = job->spec.epochs,
        .dead_ms = is_local ? 0 : DEAD_MS,
        .hang_ms = is_local ? 0 : experiment_hang_ms(HANG_MS),
        .publish_ms = PUBLISH_MS,
        .regroup_ms = REGROUP_MS,
        .settle_ms = SETTLE_MS,
        .report_ms = REPORT_MS,
        .gather_ms = GATHER_MS,
        .leave_ms = supervisor ? 0 : LEAVE_MS,
        .try_ms = TRY_MS,
        .apart_ms = APART_MS,
        .checkpoint_ms = (int64_t)(job->spec.checkpoint_seconds * 1000),
        .statement = job->spec.statement,
        .model = job->spec.model_name,
        .supervisor = supervisor,
        .started_at = leader->started_at,
        .previous = leader_books(leader),
        .metrics = leader_metrics(leader),
    };
}

/* The checkpoints of the masters before. One that cannot be used is no failure: the job goes on
 * from the one before, or starts from its beginning, and the master says so. */
static void find_checkpoints(struct jobstore *store, const struct job *job,
                             struct master_options *options)
{
    struct error why;

    error_clear(&why);
    error_clear(&options->refused);
    if (checkpoint_open_older(store, job->id, job->identity, &options->older, &why) != STATUS_OK &&
        why.status != STATUS_NOT_FOUND)
        log_warning("the checkpoint before the last: %s", why.message);
    error_clear(&why);
    if (checkpoint_open(store, job->id, job->identity, &options->checkpoint, &why) == STATUS_OK ||
        why.status == STATUS_NOT_FOUND)
        return;
    log_warning("%s", why.message);
    options->refused = why;
    options->checkpoint = options->older;
    options->older = (struct checkpoint){.phase = 0};
    if (checkpoint_keep(store, options->checkpoint.id, &why) != STATUS_OK)
        log_warning("%s", why.message);
}

static void continue_learning(struct master_host *host, const struct job *job,
                              struct master_options *options)
{
    struct recorder *recorder = &host->leader.recorder;

    options->store = (struct checkpoint_store){recorder, read_piece};
    store_call_begin(recorder->call, loop_now_ms());
    find_checkpoints(recorder->store, job, options);
    store_call_end(recorder->call);
}

static void write_metrics(void *self, struct text *page)
{
    const struct master_host *host = self;
    const struct job_row row = master_books(&host->master, loop_now_ms());

    exposition_write(&host->master, &row, page);
}

/* A first master without it would break a promise, as with job_pages_serve. */
static enum status log_events(struct master_host *host, const struct job *job,
                              const struct master_options *options, struct error *err)
{
    enum status status;

    if (job->spec.tensorboard.size == 0)
        return STATUS_OK;
    status = recorder_log_events(&host->leader.recorder, job->folder, job->spec.tensorboard, err);
    if (status == STATUS_OK || status == STATUS_STALE || !options->previous)
        return status;
    log_warning("log.tensorboard: %s", err->message);
    error_clear(err);
    return STATUS_OK;
}

enum status master_host_start(struct master_host *host, struct loop *loop, const struct job *job,
                              const struct recorder *recorder, const char *address,
                              uint32_t incarnation, int64_t supervisor, struct error *err)
{
    struct leader *leader = &host->leader;
    const struct role role = {.self = host,
                              .on_message = master_message,
                              .on_disconnect = master_disconnect,
                              .on_tick = master_tick,
                              .perform = recorder_perform,
                              .context = &leader->recorder};
    const bool is_local = strncmp(address, LOOP_LOCAL, strlen(LOOP_LOCAL)) == 0;
    struct master_options options;
    char bound[MESSAGE_ADDRESS_MAX + 1];

    leader->pages = (struct job_pages){.self = host, .write_metrics = write_metrics};
    TRY(leader_open(leader, loop, job, recorder, incarnation, err));
    options = master_options_of(job, leader, is_local, supervisor);
    continue_learning(host, job, &options);
    TRY(log_events(host, job, &options, err));
    TRY(loop_add_role(loop, &role, address, bound, sizeof bound, &leader->role, err));
    TRY(master_init(&host->master, &options, loop_now_ms(), loop_outbox(leader->role), err));
    loop_flush(leader->role);
    return STATUS_OK;
}

void master_host_cancel(struct master_host *host)
{
    master_cancel(&host->master, loop_now_ms(), loop_outbox(host->leader.role));
    loop_flush(host->leader.role);
}

void master_host_dismiss(struct master_host *host)
{
    master_dismiss(&host->master, loop_outbox(host->leader.role));
    loop_flush(host->leader.role);
}

void master_host_fail(struct master_host *host, const struct error *err)
{
    master_fail(&host->master, loop_now_ms(), err, loop_outbox(host->leader.role));
    loop_flush(host->leader.role);
}

void master_host_want(struct master_host *host, uint64_t version, uint32_t workers)
{
    master_want(&host->master, loop_now_ms(), version, workers, loop_outbox(host->leader.role));
    loop_flush(host->leader.role);
}

void master_host_leave(struct master_host *host)
{
    master_leave(&host->master, loop_now_ms(), loop_outbox(host->leader.role));
    loop_flush(host->leader.role);
}

void master_host_announce(struct master_host *host, uint32_t index, uint32_t incarnation)
{
    master_announce(&host->master, loop_now_ms(), index, incarnation,
                    loop_outbox(host->leader.role));
    loop_flush(host->leader.role);
}

void master_host_stop(struct master_host *host)
{
    master_deinit(&host->master);
    leader_close(&host->leader);
}

/* The members of a group share the machine: fewer of them have more threads each. */
static void share_cores(struct worker_host *host)
{
    const struct group *group = &host->worker.group;
    struct error err;

    if (group->epoch == host->group_epoch || group->count == 0)
        return;
    host->group_epoch = group->epoch;
    error_clear(&err);
    if (opening_use_threads(host->opening, job_threads(host->job, group->count), &err) != STATUS_OK)
        loop_stop(host->loop, err.status, &err);
}

/* Every call of the worker comes through here. */
static void after_worker(struct worker_host *host)
{
    share_cores(host);
    progress_note();
    experiment_after(&host->experiment, &host->worker, loop_now_us());
}

static void worker_message_role(void *self, int64_t now_ms, peer_id from,
                                const struct message *message, struct outbox *outbox)
{
    struct worker_host *host = self;

    worker_on_message(&host->worker, now_ms, from, message, outbox);
    after_worker(host);
}

static void worker_disconnect(void *self, int64_t now_ms, peer_id peer, struct outbox *outbox)
{
    struct worker_host *host = self;

    worker_on_disconnect(&host->worker, now_ms, peer, outbox);
    after_worker(host);
}

static void worker_tick(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct worker_host *host = self;

    worker_on_tick(&host->worker, now_ms, outbox);
    after_worker(host);
}

static bool worker_is_busy(void *self)
{
    struct worker_host *host = self;
    int64_t until;

    if (!worker_has_work(&host->worker))
        return false;
    until = experiment_wait_until(&host->experiment, &host->worker, loop_now_us());
    if (until != 0)
        loop_wake_at(host->loop, until);
    return until == 0;
}

static bool worker_expects(void *self)
{
    struct worker_host *host = self;

    return worker_expects_soon(&host->worker);
}

static void worker_do_work(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct worker_host *host = self;

    experiment_before(&host->experiment, &host->worker, loop_now_us());
    worker_work(&host->worker, now_ms, outbox);
    after_worker(host);
}

static enum status join(struct worker_host *host, struct error *err)
{
    struct role role = {.self = host,
                        .on_message = worker_message_role,
                        .on_disconnect = worker_disconnect,
                        .on_tick = worker_tick,
                        .has_work = worker_is_busy,
                        .work = worker_do_work,
                        .expects_soon = worker_expects};
    struct learner *learner = opening_learner(host->opening);
    struct learning learning = learning_of(learner);

    if (!learner)
        log_error("%s", opening_error(host->opening)->message);
    host->options.address = host->bound;
    host->options.build = build_id();
    if (host->options.build == 0) /* which is no build that others could have */
        return fail(err, STATUS_IO, "cannot read the program's own file to say which build it is");
    experiment_open(&host->experiment, host->options.index, host->options.incarnation);
    host->options.lanes_at_once = experiment_is_paced(&host->experiment) ? 1 : 0;
    worker_init(&host->worker, &host->options, learner ? &learning : NULL,
                learner ? NULL : opening_error(host->opening));
    host->worker.fault = fault_read();
    host->has_worker = true;
    TRY(loop_add_role(host->loop, &role, host->listen, host->bound, sizeof host->bound, &host->role,
                      err));
    loop_look_for(host->loop, LOOK_US);
    worker_start(&host->worker, loop_now_ms(), loop_outbox(host->role));
    loop_flush(host->role);
    return STATUS_OK;
}

static void on_ready(void *context)
{
    struct worker_host *host = context;
    struct error err;

    error_clear(&err);
    /* The database is away, which whoever runs the job's workers waits for. */
    if (!opening_learner(host->opening) &&
        opening_error(host->opening)->status == STATUS_CONNECTION) {
        err = *opening_error(host->opening);
        log_error("%s", err.message);
        loop_stop(host->loop, err.status, &err);
        return;
    }
    if (join(host, &err) != STATUS_OK) {
        log_error("%s", err.message);
        loop_stop(host->loop, err.status, &err);
    }
}

enum status worker_host_start(struct worker_host *host, struct loop *loop, const struct job *job,
                              uint32_t index, uint32_t incarnation, const char *master,
                              const char *listen, int64_t search_ms, struct error *err)
{
    host->loop = loop;
    host->listen = listen;
    host->job = job;
    host->options = (struct worker_options){
        .job = job->id,
        .index = index,
        .incarnation = incarnation,
        .master = master,
        .log_every_steps = job->spec.log_every_steps,
        .heartbeat_ms = HEARTBEAT_MS,
        .reconnect_ms = RECONNECT_MS,
        .progress_ms = REPORT_MS,
        .speed_first_ms = SPEED_MS,
        .search_ms = search_ms,
        .grace_ms = GRACE_MS,
        .segment_least = SEGMENT_LEAST,
        .piece_bytes = MESSAGE_PIECE_BYTES,
        .state_piece_bytes = STATE_PIECE_BYTES,
        .state_pieces = STATE_PIECES,
        .snapshot_piece_bytes = SNAPSHOT_PIECE_BYTES,
        .model_bytes = MODEL_BYTES,
    };
    return opening_start(loop, job, on_ready, host, &host->opening, err);
}

void worker_host_leave(struct worker_host *host)
{
    if (!host->has_worker) { /* it has no work yet */
        loop_stop(host->loop, STATUS_OK, NULL);
        return;
    }
    experiment_asked(&host->experiment, &host->worker, loop_now_us());
    worker_leave(&host->worker, loop_now_ms(), loop_outbox(host->role));
    loop_flush(host->role);
}

bool worker_host_is_stuck(const struct worker_host *host)
{
    return host->has_worker && worker_is_stuck(&host->worker);
}

bool worker_host_stop(struct worker_host *host)
{
    if (host->has_worker) {
        worker_deinit(&host->worker);
        experiment_close(&host->experiment);
    }
    host->has_worker = false;
    if (!host->opening)
        return true;
    if (!opening_is_done(host->opening))
        return false;
    opening_free(host->opening);
    host->opening = NULL;
    return true;
}
