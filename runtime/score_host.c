#include "runtime/score_host.h"

#include <stdlib.h>
#include <time.h>

#include "base/log.h"
#include "data/shardstore.h"
#include "runtime/experiment.h"
#include "runtime/exposition.h"

#define HEARTBEAT_MS   1000
#define DEAD_MS        5000
#define VERDICT_MS     2000 /* a process is started again in a hundredth of it */
#define BACKUP_MS      500
#define REPORT_MS      100
#define RECONNECT_MS   50
#define CLAIM_CHECK_MS 1000
#define GRACE_MS       25000
#define LEASES         2 /* one is scored while the next is on its way */

static void dispatch_message(void *self, int64_t now_ms, peer_id from,
                             const struct message *message, struct outbox *outbox)
{
    struct dispatch_host *host = self;
    dispatch_on_message(&host->dispatch, now_ms, from, message, outbox);
}

static void dispatch_disconnect(void *self, int64_t now_ms, peer_id peer, struct outbox *outbox)
{
    struct dispatch_host *host = self;
    dispatch_on_disconnect(&host->dispatch, now_ms, peer, outbox);
}

static bool still_leads(struct dispatch_host *host, int64_t now_ms)
{
    struct error err;

    if (now_ms - host->claim_checked_at < CLAIM_CHECK_MS)
        return true;
    host->claim_checked_at = now_ms;
    error_clear(&err);
    if (recorder_check_claim(&host->recorder, &err) != STATUS_STALE)
        return true;
    loop_stop(host->loop, STATUS_STALE, &err);
    return false;
}

static void dispatch_tick(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct dispatch_host *host = self;

    if (still_leads(host, now_ms))
        dispatch_on_tick(&host->dispatch, now_ms, outbox);
}

/* What masters before have settled. */
struct settled {
    struct settled_rows *rows;
    size_t count, capacity;
};

static enum status add_settled(void *context, const struct shard_row *row, struct error *err)
{
    struct settled *settled = context;

    if (settled->count == settled->capacity) {
        const size_t capacity = settled->capacity ? 2 * settled->capacity : 64;
        struct settled_rows *grown = realloc(settled->rows, capacity * sizeof *grown);

        if (!grown)
            return fail_no_memory(err);
        settled->rows = grown;
        settled->capacity = capacity;
    }
    settled->rows[settled->count++] = (struct settled_rows){
        .first = row->first, .count = row->count, .is_bad = row->state == SHARD_BAD};
    return STATUS_OK;
}

static enum status read_store(struct dispatch_host *host, struct dispatch_options *options,
                              struct settled *settled, struct error *err)
{
    struct jobstore *store = host->recorder.store;
    struct error why;

    error_clear(&why);
    if (jobstore_get_job(store, &host->books, &why) == STATUS_OK) {
        options->previous = &host->books;
        options->started_at = host->books.started_at;
    } else if (why.status != STATUS_NOT_FOUND) {
        if (err)
            *err = why;
        return why.status;
    }
    TRY(shardstore_return_all(store, err));
    return shardstore_each_settled(store, false, add_settled, settled, err);
}

static struct dispatch_options options_of(const struct job *job, uint32_t incarnation,
                                          int64_t supervisor)
{
    return (struct dispatch_options){
        .job = job->id,
        .incarnation = incarnation,
        .min_workers = job->spec.min_workers,
        .max_workers = job->spec.max_workers,
        .rows = job->spec.scoring.rows,
        .shard_rows = job->spec.scoring.shard_rows,
        .leases_per_worker = LEASES,
        .keeps_bad_rows = job->spec.scoring.keeps_bad_rows,
        .dead_ms = DEAD_MS,
        .verdict_ms = VERDICT_MS,
        .backup_ms = BACKUP_MS,
        .report_ms = REPORT_MS,
        .statement = job->spec.statement,
        .model = job->spec.model_name,
        .supervisor = supervisor,
    };
}

static void write_metrics(void *self, struct text *page)
{
    struct dispatch_host *host = self;
    const struct job_row row = dispatch_books(&host->dispatch, loop_now_ms());

    exposition_write_scoring(&host->dispatch, &row, page);
}

static enum status begin(struct dispatch_host *host, const struct job *job, const char *address,
                         int64_t supervisor, struct settled *settled, struct error *err)
{
    const struct role role = {.self = host,
                              .on_message = dispatch_message,
                              .on_disconnect = dispatch_disconnect,
                              .on_tick = dispatch_tick,
                              .perform = recorder_perform,
                              .context = &host->recorder};
    struct dispatch_options options = options_of(job, host->recorder.incarnation, supervisor);
    char bound[MESSAGE_ADDRESS_MAX + 1];

    options.started_at = host->started_at;
    TRY(read_store(host, &options, settled, err));
    host->pages = (struct job_pages){.self = host, .write_metrics = write_metrics};
    TRY(job_pages_serve(&host->pages, host->loop, job, !options.previous, err));
    if (host->pages.address[0])
        options.metrics = host->pages.address;
    options.settled = settled->rows;
    options.settled_count = settled->count;
    TRY(loop_add_role(host->loop, &role, address, bound, sizeof bound, &host->role, err));
    TRY(dispatch_init(&host->dispatch, &options, loop_now_ms(), loop_outbox(host->role), err));
    loop_flush(host->role);
    return STATUS_OK;
}

enum status dispatch_host_start(struct dispatch_host *host, struct loop *loop,
                                const struct job *job, const struct recorder *recorder,
                                const char *address, uint32_t incarnation, int64_t supervisor,
                                struct error *err)
{
    struct settled settled = {.rows = NULL};
    time_t now = time(NULL);
    enum status status;
    struct tm utc;

    gmtime_r(&now, &utc);
    strftime(host->started_at, sizeof host->started_at, "%Y-%m-%dT%H:%M:%SZ", &utc);
    host->recorder = *recorder;
    host->loop = loop;
    TRY(recorder_open(&host->recorder, job->folder, incarnation, err));
    status = begin(host, job, address, supervisor, &settled, err);
    free(settled.rows);
    return status;
}

void dispatch_host_cancel(struct dispatch_host *host)
{
    dispatch_cancel(&host->dispatch, loop_now_ms(), loop_outbox(host->role));
    loop_flush(host->role);
}

void dispatch_host_fail(struct dispatch_host *host, const struct error *err)
{
    dispatch_fail(&host->dispatch, loop_now_ms(), err, loop_outbox(host->role));
    loop_flush(host->role);
}

void dispatch_host_want(struct dispatch_host *host, uint64_t version, uint32_t workers)
{
    dispatch_want(&host->dispatch, loop_now_ms(), version, workers, loop_outbox(host->role));
    loop_flush(host->role);
}

void dispatch_host_leave(struct dispatch_host *host)
{
    dispatch_leave(&host->dispatch, loop_now_ms(), loop_outbox(host->role));
    loop_flush(host->role);
}

void dispatch_host_stop(struct dispatch_host *host)
{
    dispatch_deinit(&host->dispatch);
    recorder_close(&host->recorder);
}

static void scorer_message(void *self, int64_t now_ms, peer_id from, const struct message *message,
                           struct outbox *outbox)
{
    struct scorer_host *host = self;
    scorer_role_on_message(&host->scorer, now_ms, from, message, outbox);
}

static void scorer_disconnect(void *self, int64_t now_ms, peer_id peer, struct outbox *outbox)
{
    struct scorer_host *host = self;
    scorer_role_on_disconnect(&host->scorer, now_ms, peer, outbox);
}

static void scorer_tick(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct scorer_host *host = self;
    scorer_role_on_tick(&host->scorer, now_ms, outbox);
}

static bool scorer_is_busy(void *self)
{
    struct scorer_host *host = self;

    if (!scorer_role_has_work(&host->scorer))
        return false;
    if (host->us_per_row > 0 && loop_now_us() < host->next_at_us) {
        loop_wake_at(host->loop, host->next_at_us);
        return false;
    }
    return true;
}

static void scorer_do_work(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct scorer_host *host = self;
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

enum status scorer_host_start(struct scorer_host *host, struct loop *loop, const struct job *job,
                              uint32_t index, uint32_t incarnation, const char *master,
                              int64_t search_ms, struct error *err)
{
    const struct role role = {.self = host,
                              .on_message = scorer_message,
                              .on_disconnect = scorer_disconnect,
                              .on_tick = scorer_tick,
                              .has_work = scorer_is_busy,
                              .work = scorer_do_work};
    const struct scorer_role_options options = {.job = job->id,
                                                .index = index,
                                                .incarnation = incarnation,
                                                .master = master,
                                                .heartbeat_ms = HEARTBEAT_MS,
                                                .reconnect_ms = RECONNECT_MS,
                                                .search_ms = search_ms,
                                                .grace_ms = GRACE_MS};
    struct shard_scoring scoring = {.self = NULL};
    struct error why;

    error_clear(&why);
    host->loop = loop;
    host->us_per_row = read_pace(index, incarnation);
    if (rows_scoring_open(job, index, incarnation, &host->rows, &why) == STATUS_OK)
        scoring = shard_scoring_of(host->rows);
    else
        log_error("%s", why.message);
    scorer_role_init(&host->scorer, &options, &scoring, host->rows ? NULL : &why);
    host->scorer.fault = fault_read();
    TRY(loop_add_role(loop, &role, NULL, NULL, 0, &host->role, err));
    scorer_role_start(&host->scorer, loop_now_ms(), loop_outbox(host->role));
    loop_flush(host->role);
    return STATUS_OK;
}

void scorer_host_leave(struct scorer_host *host)
{
    scorer_role_leave(&host->scorer, loop_now_ms(), loop_outbox(host->role));
    loop_flush(host->role);
}

void scorer_host_stop(struct scorer_host *host)
{
    rows_scoring_close(host->rows);
    host->rows = NULL;
}
