#include "runtime/process/leading/leading_servers.h"

#include "jobspec/job_attributes.h"
#include "runtime/process/leading/leader.h"
#include "runtime/process/leading/leading_training.h"
#include "runtime/process/role/experiment.h"
#include "runtime/ps/master/shard_master.h"
#include "runtime/record/exposition.h"

#define LEASES     2 /* one is learned from while the next is on its way */
#define PAUSE_MS   2000
#define BALANCE_MS 5000

static bool is_learned(const struct job *job, struct jobstore *store)
{
    struct checkpoint checkpoint;
    struct error ignored;

    error_clear(&ignored);
    return job->spec.servers == 0 ||
           checkpoint_open(store, job->id, job->identity, &checkpoint, &ignored) == STATUS_OK;
}

static enum status start_leading_servers(void *self, struct leader *leader, struct error *err)
{
    const struct job *job = leader->options.job;
    struct shard_master *master = self;
    const struct worker_actions *workers = leader->executor.workers;
    struct shard_master_options options = {
        .crew = leader_crew(leader),
        .identity = job->identity,
        .server_count = job->spec.servers,
        .pause_ms = PAUSE_MS,
        /* A server that dies between a move and its next snapshot costs all steps there. */
        .balance_ms = shard_plan_lanes(&job->spec) > 0 ? 0 : BALANCE_MS,
        .leases_per_worker = LEASES,
        .lanes = shard_plan_lanes(&job->spec),
    };

    options.crew.servers = JOBSPEC_SERVERS_MAX;
    /* None runs where a leader before had all that was learned, in a checkpoint that is damaged.
     * The first says how many there are. */
    if (workers && workers->run_servers)
        workers->run_servers(workers->self, 1, JOBSPEC_SERVERS_MAX, 0);
    TRY(leader_log_events(leader, err));
    TRY(leader_listen(leader, err));
    TRY(shard_master_init(master, &options, loop_now_ms(), loop_outbox(leader->loop_role), err));
    experiment_crowd(&master->move.now);
    return STATUS_OK;
}

static void on_stored(void *self, int64_t now_ms, uint64_t id, const struct error *why,
                      struct outbox *outbox)
{
    shard_master_on_stored(self, now_ms, id, why, outbox);
}

static void want_servers(void *self, int64_t now_ms, uint64_t version, uint32_t servers,
                         struct outbox *outbox)
{
    shard_master_want_servers(self, now_ms, version, servers, outbox);
}

static void write_metrics(void *self, struct text *page)
{
    const struct job_row row = crew_job_row(self, loop_now_ms());

    exposition_write_servers(self, &row, page);
}

LEADING_CALLS(shard_master)

const struct leading_role servers_leader = {
    LEADING_CALLS_ROW(shard_master), .start = start_leading_servers, .is_done = is_learned,
    .next = &training_leader,        .on_stored = on_stored,         .want_servers = want_servers,
    .write_metrics = write_metrics,
};
