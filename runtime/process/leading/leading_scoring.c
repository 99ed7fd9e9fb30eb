#include "runtime/process/leading/leading_scoring.h"

#include <stdlib.h>

#include "runtime/data/store/shardstore.h"
#include "runtime/process/leading/leader.h"
#include "runtime/process/leading/leading_training.h"
#include "runtime/record/exposition.h"
#include "runtime/score/dispatch.h"

#define MISSED_MS         2000 /* a process is started again in a hundredth of it */
#define BACKUP_MS         500
#define LEASES            2 /* one is scored while the next is on its way */
#define STAGING_BACKUP_MS 5000

/* The shards of the user's table, and what is settled over all of them. */
static uint64_t rows_of_staging(const struct job *job)
{
    return job->spec.staged_shards > 0 ? (uint64_t)job->spec.staged_shards + 1 : 0;
}

static bool is_staged(const struct job *job, struct jobstore *store)
{
    return shardstore_rows_settled(store) >= rows_of_staging(job);
}

/* Rows that earlier leaders have settled. */
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

static enum status begin_dispatch(struct dispatch *dispatch, struct leader *leader,
                                  struct dispatch_options *options, struct settled *settled,
                                  struct error *err)
{
    struct jobstore *store = leader->executor.store;

    options->crew = leader_crew(leader);
    options->missed_ms = MISSED_MS;
    TRY(shardstore_return_all(store, err));
    TRY(shardstore_each_settled(store, false, add_settled, settled, err));
    options->settled = settled->rows;
    options->settled_count = settled->count;
    TRY(leader_listen(leader, err));
    return dispatch_init(dispatch, options, loop_now_ms(), loop_outbox(leader->loop_role), err);
}

static enum status start_with(void *self, struct leader *leader, struct dispatch_options *options,
                              struct error *err)
{
    struct settled settled = {.rows = NULL};
    const enum status status = begin_dispatch(self, leader, options, &settled, err);

    free(settled.rows);
    return status;
}

static enum status start_scoring(void *self, struct leader *leader, struct error *err)
{
    const struct spec_scoring *scoring = &leader->options.job->spec.scoring;
    struct dispatch_options options = {.rows = scoring->rows,
                                       .shard_rows = scoring->shard_rows,
                                       .leases_per_worker = LEASES,
                                       .keeps_bad_rows = scoring->keeps_bad_rows,
                                       .backup_ms = BACKUP_MS};

    return start_with(self, leader, &options, err);
}

/* A shard takes seconds: a worker that waits for one more in advance would keep it from others. */
static enum status start_staging(void *self, struct leader *leader, struct error *err)
{
    struct dispatch_options options = {.rows = rows_of_staging(leader->options.job),
                                       .shard_rows = 1,
                                       .leases_per_worker = 1,
                                       .stages = true,
                                       .backup_ms = STAGING_BACKUP_MS};

    return start_with(self, leader, &options, err);
}

static void write_metrics(void *self, struct text *page)
{
    const struct job_row row = crew_job_row(self, loop_now_ms());

    exposition_write_scoring(self, &row, page);
}

LEADING_CALLS(dispatch)

const struct leading_role scoring_leader = {
    LEADING_CALLS_ROW(dispatch),
    .start = start_scoring,
    .write_metrics = write_metrics,
};

const struct leading_role staging_leader = {
    LEADING_CALLS_ROW(dispatch), .start = start_staging,         .is_done = is_staged,
    .next = &training_leader,    .write_metrics = write_metrics,
};
