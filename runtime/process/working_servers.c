#include "runtime/process/working_servers.h"

#include "base/log.h"
#include "base/progress.h"
#include "runtime/loop/loop_watch.h"
#include "runtime/process/build.h"
#include "runtime/process/experiment.h"
#include "runtime/process/opening.h"
#include "runtime/process/working_training.h"
#include "runtime/ps/embedding_batches.h"
#include "runtime/ps/push_worker.h"

#define PIECE_BYTES ((size_t)1 << 20)

struct pushing_host {
    struct working_options start;
    struct learner_loader *opening;
    struct embedding_batches batches;
    struct push_worker worker;
    struct error failure; /* why it has no batches */
    bool has_batches, has_worker;
    struct experiment experiment;
    struct loop_role *loop_role;
    void *training; /* state of training_worker; NULL before */
};

static void drop_rows(struct pushing_host *host)
{
    if (host->has_batches)
        embedding_batches_deinit(&host->batches);
    host->has_batches = false;
    if (host->opening)
        opening_free(host->opening);
    host->opening = NULL;
}

static void after_worker(struct pushing_host *host)
{
    progress_note();
    experiment_after_batch(&host->experiment, &host->worker, loop_now_us());
    if (host->worker.state != PUSH_LEARNED || host->training)
        return;
    log_info("all is learned");
    drop_rows(host); /* they are opened anew, with the learner that trains */
    training_worker_follow(&host->start, &host->training);
}

static void on_message(void *self, int64_t now_ms, peer_id from, const struct message *message,
                       struct outbox *outbox)
{
    struct pushing_host *host = self;

    push_worker_on_message(&host->worker, now_ms, from, message, outbox);
    after_worker(host);
}

static void on_disconnect(void *self, int64_t now_ms, peer_id peer, struct outbox *outbox)
{
    struct pushing_host *host = self;

    push_worker_on_disconnect(&host->worker, now_ms, peer, outbox);
    after_worker(host);
}

static void on_tick(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct pushing_host *host = self;

    push_worker_on_tick(&host->worker, now_ms, outbox);
    after_worker(host);
}

static bool has_work(void *self)
{
    struct pushing_host *host = self;
    int64_t until;

    if (!push_worker_has_work(&host->worker))
        return false;
    until = experiment_wait_batch(&host->experiment, &host->worker, loop_now_us());
    if (until != 0)
        loop_wake_at(host->start.loop, until);
    return until == 0;
}

static void do_work(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct pushing_host *host = self;

    push_worker_work(&host->worker, now_ms, outbox);
    after_worker(host);
}

static enum status open_batches(struct pushing_host *host, struct error *err)
{
    const struct jobspec *spec = &host->start.job->spec;
    const struct dataset *dataset = opening_dataset(host->opening);
    struct team *team = opening_team(host->opening);
    struct shard_plan plan;

    if (!dataset) {
        *err = *opening_error(host->opening);
        return err->status;
    }
    TRY(shard_plan_of(spec, dataset->train.rows, &plan, err));
    host->has_batches = true;
    return embedding_batches_init(&host->batches, spec, dataset, &plan, team, err);
}

static enum status join(struct pushing_host *host, struct error *err)
{
    const struct job *job = host->start.job;
    const struct role role = {.self = host,
                              .on_message = on_message,
                              .on_disconnect = on_disconnect,
                              .on_tick = on_tick,
                              .has_work = has_work,
                              .work = do_work};
    const struct push_worker_options options = {.job = job->id,
                                                .index = host->start.index,
                                                .incarnation = host->start.incarnation,
                                                .build = build_id(),
                                                .master = host->start.master,
                                                .alive_ms = WORKER_ALIVE_MS,
                                                .reconnect_ms = WORKER_RECONNECT_MS,
                                                .search_ms = host->start.search_ms,
                                                .grace_ms = WORKER_GRACE_MS,
                                                .piece_bytes = PIECE_BYTES,
                                                .is_gated = job->spec.staleness > 0 &&
                                                            shard_plan_lanes(&job->spec) == 0};
    struct batch_learning learning;
    bool is_able;

    error_clear(&host->failure);
    is_able = open_batches(host, &host->failure) == STATUS_OK;
    if (is_able)
        learning = embedding_batches_learning(&host->batches);
    else
        log_error("%s", host->failure.message);
    push_worker_init(&host->worker, &options, is_able ? &learning : NULL, &host->failure);
    host->has_worker = true;
    experiment_open(&host->experiment, host->start.index, host->start.incarnation);
    TRY(loop_add_role(host->start.loop, &role, NULL, NULL, 0, &host->loop_role, err));
    push_worker_start(&host->worker, loop_now_ms(), loop_outbox(host->loop_role));
    loop_flush(host->loop_role);
    return STATUS_OK;
}

static void on_ready(void *context)
{
    struct pushing_host *host = context;
    struct error err;

    error_clear(&err);
    if (opening_lacks_database(host->opening))
        err = *opening_error(host->opening);
    else if (join(host, &err) == STATUS_OK)
        return;
    log_error("%s", err.message);
    loop_stop(host->start.loop, err.status, &err);
}

static enum status start_working_servers(void *self, const struct working_options *options,
                                         struct error *err)
{
    struct pushing_host *host = self;

    host->start = *options;
    return opening_start(options->loop, options->job, OPENING_ROWS_ALONE, on_ready, host,
                         &host->opening, err);
}

static void leave(void *self)
{
    struct pushing_host *host = self;

    if (host->training) {
        training_worker.leave(host->training);
        return;
    }
    if (!host->has_worker) { /* it has no work yet */
        loop_stop(host->start.loop, STATUS_OK, NULL);
        return;
    }
    push_worker_leave(&host->worker, loop_now_ms(), loop_outbox(host->loop_role));
    loop_flush(host->loop_role);
}

static bool is_stuck(const void *self)
{
    const struct pushing_host *host = self;

    return host->training && training_worker.is_stuck(host->training);
}

static bool stop(void *self)
{
    struct pushing_host *host = self;

    if (host->has_worker) {
        push_worker_deinit(&host->worker);
        experiment_close(&host->experiment);
    }
    host->has_worker = false;
    if (host->training)
        return training_worker_end(host->training);
    if (!host->opening)
        return true;
    if (!opening_is_done(host->opening))
        return false;
    drop_rows(host);
    return true;
}

const struct working_role pushing_worker = {.state_bytes = sizeof(struct pushing_host),
                                            .needs_alive_sender = true,
                                            .start = start_working_servers,
                                            .leave = leave,
                                            .is_stuck = is_stuck,
                                            .stop = stop};
