#include "runtime/process/leading_scoring.h"

#include <stdlib.h>

#include "runtime/data/shardstore.h"
#include "runtime/process/leader.h"
#include "runtime/record/exposition.h"
#include "runtime/score/dispatch.h"
#include "runtime/score/dispatch_record.h"

#define MISSED_MS 2000 /* a process is started again in a hundredth of it */
#define BACKUP_MS 500
#define LEASES    2 /* one is scored while the next is on its way */

/* What earlier leaders have settled. */
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

static enum status begin(struct dispatch *dispatch, struct leader *leader, struct settled *settled,
                         struct error *err)
{
    const struct job *job = leader->options.job;
    struct jobstore *store = leader->executor.store;
    struct dispatch_options options = {
        .job = job->id,
        .incarnation = leader->executor.incarnation,
        .min_workers = job->spec.min_workers,
        .max_workers = job->spec.max_workers,
        .rows = job->spec.scoring.rows,
        .shard_rows = job->spec.scoring.shard_rows,
        .leases_per_worker = LEASES,
        .keeps_bad_rows = job->spec.scoring.keeps_bad_rows,
        .dead_ms = LEADER_DEAD_MS,
        .missed_ms = MISSED_MS,
        .backup_ms = BACKUP_MS,
        .report_ms = LEADER_REPORT_MS,
        .facts = leader_facts(leader),
    };

    TRY(shardstore_return_all(store, err));
    TRY(shardstore_each_settled(store, false, add_settled, settled, err));
    options.settled = settled->rows;
    options.settled_count = settled->count;
    TRY(leader_listen(leader, err));
    return dispatch_init(dispatch, &options, loop_now_ms(), loop_outbox(leader->loop_role), err);
}

static enum status start(void *self, struct leader *leader, struct error *err)
{
    struct settled settled = {.rows = NULL};
    const enum status status = begin(self, leader, &settled, err);

    free(settled.rows);
    return status;
}

static void end_workers(void *self, struct outbox *outbox)
{
    dispatch_end_workers(self, outbox);
}

static void write_metrics(void *self, struct text *page)
{
    const struct job_row row = dispatch_job_row(self, loop_now_ms());

    exposition_write_scoring(self, &row, page);
}

LEADING_CALLS(dispatch)

const struct leading_role scoring_leader = {
    LEADING_CALLS_ROW(dispatch),
    .start = start,
    .end_workers = end_workers,
    .write_metrics = write_metrics,
};
