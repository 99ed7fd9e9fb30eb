#include "runtime/process/working_staging.h"

#include "base/log.h"
#include "base/progress.h"
#include "runtime/process/staging.h"
#include "runtime/process/working_training.h"

struct staging_host {
    struct scorer_role scorer;
    struct staging *staging; /* NULL: it cannot stage, or has done so */
    struct working_options start;
    struct loop_role *loop_role;
    void *training; /* state of training_worker; NULL before */
};

/* All rows are staged. A shard that is being read beside another worker's is finished first: both
 * would use one connection. */
static void after_scorer(struct staging_host *host)
{
    progress_note();
    if (host->scorer.state != SCORER_STAGED || host->training ||
        (host->staging && staging_is_running(host->staging)))
        return;
    log_info("all rows are staged");
    staging_free(host->staging);
    host->staging = NULL;
    training_worker_follow(&host->start, &host->training);
}

static void on_message(void *self, int64_t now_ms, peer_id from, const struct message *message,
                       struct outbox *outbox)
{
    struct staging_host *host = self;

    scorer_role_on_message(&host->scorer, now_ms, from, message, outbox);
    after_scorer(host);
}

static void on_disconnect(void *self, int64_t now_ms, peer_id peer, struct outbox *outbox)
{
    struct staging_host *host = self;

    scorer_role_on_disconnect(&host->scorer, now_ms, peer, outbox);
    after_scorer(host);
}

static void on_tick(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct staging_host *host = self;

    scorer_role_on_tick(&host->scorer, now_ms, outbox);
    after_scorer(host);
}

static bool has_work(void *self)
{
    const struct staging_host *host = self;

    return scorer_role_has_work(&host->scorer) && !staging_is_running(host->staging);
}

static void do_work(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct staging_host *host = self;

    scorer_role_work(&host->scorer, now_ms, outbox);
    after_scorer(host);
}

static enum status start_working_staging(void *self, const struct working_options *options,
                                         struct error *err)
{
    struct staging_host *host = self;
    const struct role role = {.self = host,
                              .on_message = on_message,
                              .on_disconnect = on_disconnect,
                              .on_tick = on_tick,
                              .has_work = has_work,
                              .work = do_work};
    const struct scorer_role_options own = {.job = options->job->id,
                                            .index = options->index,
                                            .incarnation = options->incarnation,
                                            .master = options->master,
                                            .alive_ms = WORKER_ALIVE_MS,
                                            .reconnect_ms = WORKER_RECONNECT_MS,
                                            .search_ms = options->search_ms,
                                            .grace_ms = WORKER_GRACE_MS,
                                            .stages = true};
    struct shard_scoring scoring = {.self = NULL};
    struct error why;

    error_clear(&why);
    host->start = *options;
    if (staging_new(options->loop, options->job, &host->staging, &why) == STATUS_OK)
        scoring = staging_calls(host->staging);
    else
        log_error("%s", why.message);
    scorer_role_init(&host->scorer, &own, &scoring, host->staging ? NULL : &why);
    host->scorer.fault = fault_read();
    TRY(loop_add_role(options->loop, &role, NULL, NULL, 0, &host->loop_role, err));
    scorer_role_start(&host->scorer, loop_now_ms(), loop_outbox(host->loop_role));
    loop_flush(host->loop_role);
    return STATUS_OK;
}

static void leave(void *self)
{
    struct staging_host *host = self;

    if (host->training) {
        training_worker.leave(host->training);
        return;
    }
    if (host->scorer.state == SCORER_STAGED) { /* it waits for its own thread alone */
        loop_stop(host->start.loop, STATUS_OK, NULL);
        return;
    }
    scorer_role_leave(&host->scorer, loop_now_ms(), loop_outbox(host->loop_role));
    loop_flush(host->loop_role);
}

static bool is_stuck(const void *self)
{
    const struct staging_host *host = self;

    return host->training && training_worker.is_stuck(host->training);
}

static bool stop(void *self)
{
    struct staging_host *host = self;

    if (host->training)
        return training_worker_end(host->training);
    if (host->staging && staging_is_running(host->staging))
        return false;
    staging_free(host->staging);
    host->staging = NULL;
    return true;
}

const struct working_role staging_worker = {.state_bytes = sizeof(struct staging_host),
                                            .needs_alive_sender = true,
                                            .start = start_working_staging,
                                            .leave = leave,
                                            .is_stuck = is_stuck,
                                            .stop = stop};
