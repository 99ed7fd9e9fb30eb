#include "runtime/process/working_scoring.h"

#include "base/log.h"
#include "runtime/loop/loop_watch.h"
#include "runtime/process/experiment.h"
#include "runtime/process/working_role.h"
#include "runtime/score/rows_scoring.h"

struct scoring_host {
    struct scorer_role scorer;
    struct rows_scoring *rows;
    struct loop *loop;
    struct loop_role *loop_role;
    double us_per_row; /* paced (experiment.h); 0: not */
    int64_t next_at_us;
};

static void on_message(void *self, int64_t now_ms, peer_id from, const struct message *message,
                       struct outbox *outbox)
{
    struct scoring_host *host = self;
    scorer_role_on_message(&host->scorer, now_ms, from, message, outbox);
}

static void on_disconnect(void *self, int64_t now_ms, peer_id peer, struct outbox *outbox)
{
    struct scoring_host *host = self;
    scorer_role_on_disconnect(&host->scorer, now_ms, peer, outbox);
}

static void on_tick(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct scoring_host *host = self;
    scorer_role_on_tick(&host->scorer, now_ms, outbox);
}

static bool is_busy(void *self)
{
    struct scoring_host *host = self;

    if (!scorer_role_has_work(&host->scorer))
        return false;
    if (host->us_per_row > 0 && !experiment_is_hurried() && loop_now_us() < host->next_at_us) {
        loop_wake_at(host->loop, host->next_at_us);
        return false;
    }
    return true;
}

static void do_work(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct scoring_host *host = self;
    const int64_t began_us = loop_now_us();
    const uint64_t before = rows_scoring_count(host->rows);

    scorer_role_work(&host->scorer, now_ms, outbox);
    host->next_at_us =
        began_us + (int64_t)((double)(rows_scoring_count(host->rows) - before) * host->us_per_row);
}

static double read_pace(uint32_t index, uint32_t incarnation)
{
    struct experiment experiment;
    double us;

    experiment_open(&experiment, index, incarnation);
    us = experiment_is_paced(&experiment) ? experiment.us_per_row : 0;
    experiment_close(&experiment);
    return us;
}

/* Opens rows and model; for a job in tables both are fetched first. SIGTERM ends the process
 * meanwhile: it has no work yet. */
static enum status open_rows(struct scoring_host *host, const struct working_options *options,
                             struct error *err)
{
    const struct job *job = options->job;

    if (job->fetch)
        TRY(job->fetch(job, NULL, err));
    return rows_scoring_open(job, options->index, options->incarnation, &host->rows, err);
}

static enum status start_working_scoring(void *self, const struct working_options *options,
                                         struct error *err)
{
    struct scoring_host *host = self;
    const struct role role = {.self = host,
                              .on_message = on_message,
                              .on_disconnect = on_disconnect,
                              .on_tick = on_tick,
                              .has_work = is_busy,
                              .work = do_work};
    const struct scorer_role_options own = {.job = options->job->id,
                                            .index = options->index,
                                            .incarnation = options->incarnation,
                                            .master = options->master,
                                            .alive_ms = WORKER_ALIVE_MS,
                                            .reconnect_ms = WORKER_RECONNECT_MS,
                                            .search_ms = options->search_ms,
                                            .grace_ms = WORKER_GRACE_MS};
    struct shard_scoring scoring = {.self = NULL};
    struct error why;

    error_clear(&why);
    host->loop = options->loop;
    host->us_per_row = read_pace(options->index, options->incarnation);
    if (open_rows(host, options, &why) == STATUS_OK)
        scoring = shard_scoring_of(host->rows);
    else if (why.status == STATUS_CONNECTION) /* the launcher starts this worker again later */
        return *err = why, why.status;
    else
        log_error("%s", why.message);
    scorer_role_init(&host->scorer, &own, &scoring, host->rows ? NULL : &why);
    host->scorer.fault = fault_read();
    TRY(loop_add_role(options->loop, &role, NULL, NULL, 0, &host->loop_role, err));
    scorer_role_start(&host->scorer, loop_now_ms(), loop_outbox(host->loop_role));
    loop_flush(host->loop_role);
    return STATUS_OK;
}

static void leave(void *self)
{
    struct scoring_host *host = self;

    scorer_role_leave(&host->scorer, loop_now_ms(), loop_outbox(host->loop_role));
    loop_flush(host->loop_role);
}

static bool stop(void *self)
{
    struct scoring_host *host = self;

    rows_scoring_close(host->rows);
    host->rows = NULL;
    return true;
}

const struct working_role scoring_worker = {.state_bytes = sizeof(struct scoring_host),
                                            .start = start_working_scoring,
                                            .leave = leave,
                                            .stop = stop};
