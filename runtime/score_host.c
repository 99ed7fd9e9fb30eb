#include "runtime/score_host.h"

#include <stdlib.h>

#include "base/log.h"
#include "data/shardstore.h"
#include "runtime/experiment.h"
#include "runtime/exposition.h"

#define HEARTBEAT_MS 1000
#define DEAD_MS      5000
#define VERDICT_MS   2000 /* a process is started again in a hundredth of it */
#define BACKUP_MS    500
#define REPORT_MS    100
#define RECONNECT_MS 50
#define GRACE_MS     25000
#define LEASES       2 /* one is scored while the next is on its way */

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

static void dispatch_tick(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct dispatch_host *host = self;

    if (leader_still_leads(&host->leader, now_ms))
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

static enum status read_shards(struct jobstore *store, struct settled *settled, struct error *err)
{
    TRY(shardstore_return_all(store, err));
    return shardstore_each_settled(store, false, add_settled, settled, err);
}

static struct dispatch_options options_of(const struct job *job, const struct leader *leader,
                                          const struct settled *settled, int64_t supervisor)
{
    return (struct dispatch_options){
        .job = job->id,
        .incarnation = leader->recorder.incarnation,
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
        .started_at = leader->started_at,
        .previous = leader_books(leader),
        .metrics = leader_metrics(leader),
        .settled = settled->rows,
        .settled_count = settled->count,
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
    struct leader *leader = &host->leader;
    const struct role role = {.self = host,
                              .on_message = dispatch_message,
                              .on_disconnect = dispatch_disconnect,
                              .on_tick = dispatch_tick,
                              .perform = recorder_perform,
                              .context = &leader->recorder};
    struct dispatch_options options;
    char bound[MESSAGE_ADDRESS_MAX + 1];

    TRY(read_shards(leader->recorder.store, settled, err));
    options = options_of(job, leader, settled, supervisor);
    TRY(loop_add_role(leader->loop, &role, address, bound, sizeof bound, &leader->role, err));
    TRY(dispatch_init(&host->dispatch, &options, loop_now_ms(), loop_outbox(leader->role), err));
    loop_flush(leader->role);
    return STATUS_OK;
}

enum status dispatch_host_start(struct dispatch_host *host, struct loop *loop,
                                const struct job *job, const struct recorder *recorder,
                                const char *address, uint32_t incarnation, int64_t supervisor,
                                struct error *err)
{
    struct settled settled = {.rows = NULL};
    enum status status;

    host->leader.pages = (struct job_pages){.self = host, .write_metrics = write_metrics};
    TRY(leader_open(&host->leader, loop, job, recorder, incarnation, err));
    status = begin(host, job, address, supervisor, &settled, err);
    free(settled.rows);
    return status;
}

void dispatch_host_cancel(struct dispatch_host *host)
{
    dispatch_cancel(&host->dispatch, loop_now_ms(), loop_outbox(host->leader.role));
    loop_flush(host->leader.role);
}

void dispatch_host_fail(struct dispatch_host *host, const struct error *err)
{
    dispatch_fail(&host->dispatch, loop_now_ms(), err, loop_outbox(host->leader.role));
    loop_flush(host->leader.role);
}

void dispatch_host_want(struct dispatch_host *host, uint64_t version, uint32_t workers)
{
    dispatch_want(&host->dispatch, loop_now_ms(), version, workers, loop_outbox(host->leader.role));
    loop_flush(host->leader.role);
}

void dispatch_host_leave(struct dispatch_host *host)
{
    dispatch_leave(&host->dispatch, loop_now_ms(), loop_outbox(host->leader.role));
    loop_flush(host->leader.role);
}

void dispatch_host_stop(struct dispatch_host *host)
{
    dispatch_deinit(&host->dispatch);
    leader_close(&host->leader);
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
    if (host->us_per_row > 0 && !experiment_is_hurried() && loop_now_us() < host->next_at_us) {
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
