#include "runtime/process/working/working_scoring.h"

#include "base/process/log.h"
#include "runtime/process/role/experiment.h"
#include "runtime/process/working/staging.h"
#include "runtime/process/working/working_training.h"
#include "runtime/score/rows_scoring.h"

/* A scorer whose shards cannot be scored, for this reason, reports it. */
static void init_scorer(struct scorer_role *scorer, const struct working_options *options,
                        bool stages, const struct shard_scoring *scoring, const struct error *why)
{
    const struct scorer_role_options own = {.job = options->job->id,
                                            .index = options->index,
                                            .incarnation = options->incarnation,
                                            .master = options->master,
                                            .alive_ms = WORKER_ALIVE_MS,
                                            .reconnect_ms = WORKER_RECONNECT_MS,
                                            .search_ms = options->search_ms,
                                            .grace_ms = WORKER_GRACE_MS,
                                            .stages = stages};

    if (why->status != STATUS_OK)
        log_error("%s", why->message);
    scorer_role_init(scorer, &own, scoring, why->status != STATUS_OK ? why : NULL);
    scorer->fault = fault_read();
}

WORKING_CALLS(scorer_role)

/* ----- of a job that scores ----- */

struct scoring_host {
    struct scorer_role scorer;
    struct rows_scoring *rows;
    double us_per_row; /* paced (experiment.h); 0: not */
    int64_t next_at_us;
};

static double read_pace(uint32_t index, uint32_t incarnation)
{
    struct experiment experiment;
    double us;

    experiment_open(&experiment, index, incarnation);
    us = experiment_is_paced(&experiment) ? experiment.us_per_row : 0;
    experiment_close(&experiment);
    return us;
}

/* The rows and the model of a job in tables are fetched first. SIGTERM ends the process meanwhile:
 * it has no work yet. */
static enum status open_rows(struct scoring_host *host, const struct working_options *options,
                             struct error *err)
{
    const struct job *job = options->job;

    if (job->fetch)
        TRY(job->fetch(job, NULL, err));
    return rows_scoring_open(job, options->index, options->incarnation, &host->rows, err);
}

static enum status join_scoring(void *self, struct working *working, struct error *err)
{
    struct scoring_host *host = self;
    const struct working_options *options = &working->options;
    struct shard_scoring scoring = {.self = NULL};
    struct error why;

    error_clear(&why);
    host->us_per_row = read_pace(options->index, options->incarnation);
    if (open_rows(host, options, &why) == STATUS_OK)
        scoring = shard_scoring_of(host->rows);
    else if (why.status == STATUS_CONNECTION) /* the launcher starts this worker again later */
        return *err = why, why.status;
    init_scorer(&host->scorer, options, false, &scoring, &why);
    return STATUS_OK;
}

static bool close_rows(void *self)
{
    struct scoring_host *host = self;

    rows_scoring_close(host->rows);
    host->rows = NULL;
    return true;
}

static int64_t wait_until(void *self, int64_t now_us)
{
    const struct scoring_host *host = self;

    return host->us_per_row > 0 && !experiment_is_hurried() && now_us < host->next_at_us
               ? host->next_at_us
               : 0;
}

static void work_on_rows(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct scoring_host *host = self;
    const int64_t began_us = loop_now_us();
    const uint64_t before = rows_scoring_count(host->rows);

    call_work(self, now_ms, outbox);
    host->next_at_us =
        began_us + (int64_t)((double)(rows_scoring_count(host->rows) - before) * host->us_per_row);
}

const struct working_role scoring_worker = {.state_bytes = sizeof(struct scoring_host),
                                            .opens = OPENING_NOTHING,
                                            .join = join_scoring,
                                            .drop = close_rows,
                                            WORKING_CALLS_ROW,
                                            .has_work = call_has_work,
                                            .work = work_on_rows,
                                            .leave = call_leave,
                                            .wait_until = wait_until};

/* ----- of a job whose workers stage its rows ----- */

struct staging_host {
    struct scorer_role scorer;
    struct staging *staging; /* NULL: it cannot stage, or has done so */
};

static enum status join_staging(void *self, struct working *working, struct error *err)
{
    struct staging_host *host = self;
    const struct working_options *options = &working->options;
    struct shard_scoring scoring = {.self = NULL};
    struct error why;
    (void)err;

    error_clear(&why);
    if (staging_new(options->loop, options->job, &host->staging, &why) == STATUS_OK)
        scoring = staging_calls(host->staging);
    init_scorer(&host->scorer, options, true, &scoring, &why);
    return STATUS_OK;
}

static bool is_reading(const struct staging_host *host)
{
    return host->staging && staging_is_running(host->staging);
}

static bool close_staging(void *self)
{
    struct staging_host *host = self;

    if (is_reading(host))
        return false;
    staging_free(host->staging);
    host->staging = NULL;
    return true;
}

/* A shard that is being read beside another worker's is finished first: both would use one
 * connection. */
static bool is_over(const void *self)
{
    const struct staging_host *host = self;

    return host->scorer.state == SCORER_STAGED && !is_reading(host);
}

static bool has_staging_work(const void *self)
{
    const struct staging_host *host = self;

    return call_has_work(self) && !is_reading(host);
}

static void leave_staging(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct staging_host *host = self;

    if (host->scorer.state == SCORER_STAGED) /* it waits for its own thread alone */
        outbox_end(outbox, STATUS_OK);
    else
        call_leave(self, now_ms, outbox);
}

const struct working_role staging_worker = {.state_bytes = sizeof(struct staging_host),
                                            .needs_alive_sender = true,
                                            .opens = OPENING_NOTHING,
                                            .join = join_staging,
                                            .drop = close_staging,
                                            .is_over = is_over,
                                            .next = &training_worker,
                                            WORKING_CALLS_ROW,
                                            .has_work = has_staging_work,
                                            .work = call_work,
                                            .leave = leave_staging};
