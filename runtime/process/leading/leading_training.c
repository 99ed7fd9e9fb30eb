#include "runtime/process/leading/leading_training.h"

#include <math.h>

#include "base/process/log.h"
#include "runtime/process/leading/leader.h"
#include "runtime/process/role/experiment.h"
#include "runtime/record/exposition.h"
#include "runtime/train/master/master.h"
#include "runtime/train/master/master_change.h"
#include "runtime/train/master/master_checkpoint.h"
#include "runtime/train/master/master_group.h"

#define HANG_MS    20000
#define PUBLISH_MS 600000
#define REGROUP_MS 20
#define SETTLE_MS  300
#define GATHER_MS  100
#define LEAVE_MS   100 /* between departures of pods that are deleted together */
#define TRY_MS     10000
#define APART_MS   5000
#define MEASURE_MS 1000
#define MEASURES   10

static enum status read_piece(void *context, const struct checkpoint *checkpoint, uint64_t position,
                              struct text *out, struct error *err)
{
    struct outbox_executor *executor = context;
    enum status status;

    store_call_begin(executor->call, loop_now_ms());
    status = checkpoint_read_piece(executor->store, checkpoint, position, out, err);
    store_call_end(executor->call);
    return status;
}

/* The checkpoints of earlier masters. One that cannot be used is no failure: the job goes on from
 * the one before, or from its beginning, and the master reports it. */
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

/* Workers in other processes are dead after some seconds of silence; one in this process is silent
 * only as long as this process is busy. */
static enum status start_leading_training(void *self, struct leader *leader, struct error *err)
{
    const struct job *job = leader->options.job;
    const bool is_local = leader_is_local(leader);
    struct master_options options = {
        .crew = leader_crew(leader),
        .identity = job->identity,
        .hang_ms = is_local ? 0 : experiment_hang_ms(HANG_MS),
        .publish_ms = PUBLISH_MS,
        .regroup_ms = REGROUP_MS,
        .settle_ms = SETTLE_MS,
        .gather_ms = GATHER_MS,
        .leave_ms = leader->options.supervisor ? 0 : LEAVE_MS,
        .try_ms = TRY_MS,
        .apart_ms = APART_MS,
        .measure = {experiment_measure_ms(MEASURE_MS), MEASURES},
        .checkpoint_ms = (int64_t)(job->spec.checkpoint_seconds * 1000),
        .checkpoint_steps = job->spec.checkpoint_steps,
        .needs_checkpoint = job->spec.servers > 0,
        .learn_ms = (int64_t)ceil(job->spec.max_seconds * 1000),
        .first = job->spec.history.first,
        .metrics = job->round_metrics,
        .metric_count = job->round_metric_count,
        .store = {&leader->executor, read_piece},
    };

    (void)share_paces_read(job->spec.history.paces, &options.paces);
    if (is_local)
        options.crew.dead_ms = 0;
    store_call_begin(leader->executor.call, loop_now_ms());
    find_checkpoints(leader->executor.store, job, &options);
    store_call_end(leader->executor.call);
    TRY(leader_log_events(leader, err));
    TRY(leader_listen(leader, err));
    TRY(master_init(self, &options, loop_now_ms(), loop_outbox(leader->loop_role), err));
    if (job->spec.staged_shards > 0) /* an earlier leader may not have come to report it */
        crew_report(self, loop_now_ms(), JOB_STAGED, loop_outbox(leader->loop_role));
    return STATUS_OK;
}

static void on_stored(void *self, int64_t now_ms, uint64_t id, const struct error *why,
                      struct outbox *outbox)
{
    master_on_stored(self, now_ms, id, why, outbox);
}

static void drain(void *self, int64_t now_ms, uint32_t index, uint32_t incarnation,
                  struct outbox *outbox)
{
    master_drain(self, now_ms, index, incarnation, outbox);
}

static void write_metrics(void *self, struct text *page)
{
    const struct job_row row = crew_job_row(self, loop_now_ms());

    exposition_write(self, &row, page);
}

LEADING_CALLS(master)

const struct leading_role training_leader = {
    LEADING_CALLS_ROW(master),      .start = start_leading_training,
    .on_stored = on_stored,         .drain = drain,
    .write_metrics = write_metrics,
};
