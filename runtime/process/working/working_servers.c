#include "runtime/process/working/working_servers.h"

#include "base/process/log.h"
#include "runtime/process/role/build.h"
#include "runtime/process/role/experiment.h"
#include "runtime/process/working/working_training.h"
#include "runtime/ps/worker/embedding_batches.h"
#include "runtime/ps/worker/push_worker.h"

#define PIECE_BYTES ((size_t)1 << 20)

struct pushing_host {
    struct push_worker worker;
    struct embedding_batches batches;
    struct error failure; /* why it has no batches */
    bool has_batches;
    struct experiment experiment;
};

static enum status open_batches(struct pushing_host *host, const struct working *working,
                                struct error *err)
{
    const struct jobspec *spec = &working->options.job->spec;
    const struct dataset *dataset = opening_dataset(working->opening);
    struct team *team = opening_team(working->opening);
    struct shard_plan plan;

    if (!dataset) {
        *err = *opening_error(working->opening);
        return err->status;
    }
    TRY(shard_plan_of(spec, dataset->train.rows, &plan, err));
    host->has_batches = true;
    return embedding_batches_init(&host->batches, spec, dataset, &plan, team, err);
}

static enum status join(void *self, struct working *working, struct error *err)
{
    struct pushing_host *host = self;
    const struct working_options *own = &working->options;
    const struct jobspec *spec = &own->job->spec;
    const struct push_worker_options options = {.job = own->job->id,
                                                .index = own->index,
                                                .incarnation = own->incarnation,
                                                .build = build_id(),
                                                .master = own->master,
                                                .alive_ms = WORKER_ALIVE_MS,
                                                .reconnect_ms = WORKER_RECONNECT_MS,
                                                .search_ms = own->search_ms,
                                                .grace_ms = WORKER_GRACE_MS,
                                                .piece_bytes = PIECE_BYTES,
                                                .is_gated = spec->staleness > 0 &&
                                                            shard_plan_lanes(spec) == 0};
    struct batch_learning learning;
    bool is_able;
    (void)err;

    error_clear(&host->failure);
    is_able = open_batches(host, working, &host->failure) == STATUS_OK;
    if (is_able)
        learning = embedding_batches_learning(&host->batches);
    else
        log_error("%s", host->failure.message);
    push_worker_init(&host->worker, &options, is_able ? &learning : NULL, &host->failure);
    experiment_open(&host->experiment, own->index, own->incarnation);
    return STATUS_OK;
}

static void close_worker(void *self)
{
    struct pushing_host *host = self;

    push_worker_deinit(&host->worker);
    experiment_close(&host->experiment);
}

static bool drop_batches(void *self)
{
    struct pushing_host *host = self;

    if (host->has_batches)
        embedding_batches_deinit(&host->batches);
    host->has_batches = false;
    return true;
}

static bool is_over(const void *self)
{
    const struct pushing_host *host = self;

    return host->worker.state == PUSH_LEARNED;
}

static void after(void *self, int64_t now_us)
{
    struct pushing_host *host = self;

    experiment_after_batch(&host->experiment, &host->worker, now_us);
}

static int64_t wait_until(void *self, int64_t now_us)
{
    struct pushing_host *host = self;

    return experiment_wait_batch(&host->experiment, &host->worker, now_us);
}

WORKING_CALLS(push_worker)

const struct working_role pushing_worker = {.state_bytes = sizeof(struct pushing_host),
                                            .needs_alive_sender = true,
                                            .opens = OPENING_ROWS_ALONE,
                                            .join = join,
                                            .close = close_worker,
                                            .drop = drop_batches,
                                            .is_over = is_over,
                                            .next = &training_worker,
                                            WORKING_CALLS_ROW,
                                            .has_work = call_has_work,
                                            .work = call_work,
                                            .leave = call_leave,
                                            .wait_until = wait_until,
                                            .after = after};
