#include "runtime/process/leading/leader.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/process/log.h"
#include "runtime/process/leading/leading_scoring.h"
#include "runtime/process/leading/leading_servers.h"
#include "runtime/process/leading/leading_training.h"

#define CLAIM_CHECK_MS 1000
#define DEAD_MS        5000 /* silence after which a worker in another process is dead */
#define REPORT_MS      100  /* between progress rows */

static const struct leading_role *const roles[] = {[SPEC_TRAIN] = &training_leader,
                                                   [SPEC_PREDICT] = &scoring_leader,
                                                   [SPEC_EVALUATE] = &scoring_leader};

/* Tells the launcher that servers are done: one that started now would be sent away. */
static void dismiss_servers(const struct leader *leader)
{
    const struct worker_actions *workers = leader->executor.workers;

    if (workers && workers->servers_done)
        workers->servers_done(workers->self);
}

static enum status begin_role(struct leader *leader, const struct leading_role *role,
                              struct error *err)
{
    leader->self = calloc(1, role->state_bytes);
    if (!leader->self)
        return fail_no_memory(err);
    leader->crew = leader->self;
    leader->role = role;
    if (leader->options.job->spec.servers > 0 && role == roles[leader->options.job->spec.kind])
        dismiss_servers(leader);
    leader->pages.self = leader->self;
    leader->pages.write_metrics = role->write_metrics;
    return STATUS_OK;
}

static void end_role(struct leader *leader)
{
    if (leader->role)
        leader->role->stop(leader->self);
    free(leader->self);
    leader->role = NULL;
    leader->self = NULL;
    leader->crew = NULL;
}

static void pass_wanted_servers(struct leader *leader)
{
    if (leader->role->want_servers && leader->wanted_servers.is_known)
        leader->role->want_servers(leader->self, loop_now_ms(), leader->wanted_servers.version,
                                   leader->wanted_servers.servers, loop_outbox(leader->loop_role));
}

/* Where the role has done its part. What its successor asks for goes into the same outbox, behind
 * what was its own. */
static void hand_on(struct leader *leader)
{
    const struct leading_role *next = leader->role->next;
    enum status status;
    struct error err;

    if (!next || !leader->crew->is_handed_on)
        return;
    error_clear(&err);
    end_role(leader);
    status = begin_role(leader, next, &err);
    if (status == STATUS_OK)
        status = next->start(leader->self, leader, &err);
    if (status == STATUS_OK) {
        if (leader->wanted.is_known)
            crew_want(leader->crew, loop_now_ms(), leader->wanted.version, leader->wanted.workers,
                      loop_outbox(leader->loop_role));
        pass_wanted_servers(leader);
        crew_stand(leader->crew, leader->standing);
        return;
    }
    if (status != STATUS_CONNECTION && status != STATUS_STALE)
        outbox_executor_say_failed(&leader->executor, &err);
    loop_stop(leader->loop, status, &err);
}

static void on_message(void *context, int64_t now_ms, peer_id from, const struct message *message,
                       struct outbox *outbox)
{
    struct leader *leader = context;

    leader->role->on_message(leader->self, now_ms, from, message, outbox);
    hand_on(leader);
}

static void on_disconnect(void *context, int64_t now_ms, peer_id peer, struct outbox *outbox)
{
    struct leader *leader = context;

    leader->role->on_disconnect(leader->self, now_ms, peer, outbox);
    hand_on(leader);
}

/* False when another leads, and the loop then ends with STALE. A role that stores nothing for long
 * would not find out, so the store is asked once in a second. */
static bool still_leads(struct leader *leader, int64_t now_ms)
{
    struct error err;

    if (now_ms - leader->claim_checked_at < CLAIM_CHECK_MS)
        return true;
    leader->claim_checked_at = now_ms;
    error_clear(&err);
    if (outbox_executor_check_claim(&leader->executor, &err) != STATUS_STALE)
        return true;
    loop_stop(leader->loop, STATUS_STALE, &err);
    return false;
}

static void on_tick(void *context, int64_t now_ms, struct outbox *outbox)
{
    struct leader *leader = context;
    const struct leading_role *role = leader->role;
    struct checkpoint_outcome outcome;

    if (!still_leads(leader, now_ms))
        return;
    if (role->on_stored && outbox_executor_take_outcome(&leader->executor, &outcome))
        role->on_stored(leader->self, now_ms, outcome.id, &outcome.why, outbox);
    role->on_tick(leader->self, now_ms, outbox);
    hand_on(leader);
}

enum status leader_listen(struct leader *leader, struct error *err)
{
    const struct role role = {.self = leader,
                              .on_message = on_message,
                              .on_disconnect = on_disconnect,
                              .on_tick = on_tick,
                              .perform = outbox_executor_perform,
                              .context = &leader->executor};
    char bound[MESSAGE_ADDRESS_MAX + 1];

    if (leader->loop_role) /* the role before listens already, and this one has its place */
        return STATUS_OK;
    return loop_add_role(leader->loop, &role, leader->options.address, bound, sizeof bound,
                         &leader->loop_role, err);
}

/* A first master without them would break a promise; a later one goes on without, as with
 * job_pages_serve. */
enum status leader_log_events(struct leader *leader, struct error *err)
{
    const struct job *job = leader->options.job;
    enum status status;

    if (job->spec.tensorboard.size == 0 || leader->executor.events.is_open)
        return STATUS_OK;
    status = outbox_executor_log_events(&leader->executor, job->folder, job->spec.tensorboard, err);
    if (status == STATUS_OK || status == STATUS_STALE || !leader->has_row)
        return status;
    log_warning("log.tensorboard: %s", err->message);
    error_clear(err);
    return STATUS_OK;
}

/* No row: this is the first leader, and the job begins now. */
static enum status read_row(struct leader *leader, struct error *err)
{
    time_t now = time(NULL);
    struct tm utc;
    struct error why;

    gmtime_r(&now, &utc);
    strftime(leader->started_at, sizeof leader->started_at, "%Y-%m-%dT%H:%M:%SZ", &utc);
    error_clear(&why);
    if (jobstore_get_job(leader->executor.store, &leader->row, &why) == STATUS_OK) {
        leader->has_row = true;
        memcpy(leader->started_at, leader->row.started_at, sizeof leader->started_at);
    } else if (why.status != STATUS_NOT_FOUND) {
        if (err)
            *err = why;
        return why.status;
    }
    return STATUS_OK;
}

static const struct leading_role *first_role(const struct job *job, struct jobstore *store)
{
    if (!staging_leader.is_done(job, store))
        return &staging_leader;
    return servers_leader.is_done(job, store) ? roles[job->spec.kind] : &servers_leader;
}

enum status leader_start(struct leader *leader, struct loop *loop,
                         const struct leader_options *options, struct error *err)
{
    const struct job *job = options->job;

    leader->options = *options;
    leader->loop = loop;
    leader->began_at_ms = loop_now_ms();
    leader->executor = options->executor;
    leader->executor.journal = job->journal;
    TRY(outbox_executor_open(&leader->executor, job->folder, options->incarnation, err));
    TRY(read_row(leader, err));
    TRY(begin_role(leader, first_role(job, leader->executor.store), err));
    TRY(job_pages_serve(&leader->pages, loop, job, !leader->has_row, err));
    TRY(leader->role->start(leader->self, leader, err));
    loop_flush(leader->loop_role);
    return STATUS_OK;
}

void leader_stop(struct leader *leader)
{
    end_role(leader);
    outbox_executor_close(&leader->executor);
}

void leader_cancel(struct leader *leader)
{
    crew_cancel(leader->crew, loop_now_ms(), loop_outbox(leader->loop_role));
    loop_flush(leader->loop_role);
}

void leader_fail(struct leader *leader, const struct error *err)
{
    crew_fail(leader->crew, loop_now_ms(), err, loop_outbox(leader->loop_role));
    loop_flush(leader->loop_role);
}

void leader_want(struct leader *leader, uint64_t version, uint32_t workers)
{
    leader->wanted.is_known = true;
    leader->wanted.version = version;
    leader->wanted.workers = workers;
    crew_want(leader->crew, loop_now_ms(), version, workers, loop_outbox(leader->loop_role));
    loop_flush(leader->loop_role);
}

void leader_stand(struct leader *leader, const char *text)
{
    slice_copy(slice_of(text), leader->standing, sizeof leader->standing);
    crew_stand(leader->crew, text);
}

void leader_want_servers(struct leader *leader, uint64_t version, uint32_t servers)
{
    leader->wanted_servers.is_known = true;
    leader->wanted_servers.version = version;
    leader->wanted_servers.servers = servers;
    pass_wanted_servers(leader);
    loop_flush(leader->loop_role);
}

void leader_leave(struct leader *leader)
{
    crew_leave(leader->crew, loop_now_ms(), loop_outbox(leader->loop_role));
    loop_flush(leader->loop_role);
}

void leader_drain(struct leader *leader, uint32_t index, uint32_t incarnation)
{
    if (!leader->role->drain)
        return;
    leader->role->drain(leader->self, loop_now_ms(), index, incarnation,
                        loop_outbox(leader->loop_role));
    loop_flush(leader->loop_role);
}

void leader_end_workers(struct leader *leader)
{
    crew_end_members(leader->crew, loop_outbox(leader->loop_role));
    loop_flush(leader->loop_role);
}

bool leader_is_local(const struct leader *leader)
{
    return strncmp(leader->options.address, LOOP_LOCAL, strlen(LOOP_LOCAL)) == 0;
}

struct crew_options leader_crew(const struct leader *leader)
{
    const struct job *job = leader->options.job;
    const struct jobspec *spec = &job->spec;
    const struct job_facts facts = {.statement = spec->statement,
                                    .model = spec->model_name,
                                    .started_at = leader->started_at,
                                    .metrics =
                                        leader->pages.address[0] ? leader->pages.address : NULL,
                                    .supervisor = leader->options.supervisor,
                                    .began_at_ms = leader->began_at_ms,
                                    .previous = leader->has_row ? &leader->row : NULL};

    return (struct crew_options){.job = job->id,
                                 .incarnation = leader->executor.incarnation,
                                 .min_workers = spec->min_workers,
                                 .max_workers = spec->max_workers,
                                 .dead_ms = DEAD_MS,
                                 .report_ms = REPORT_MS,
                                 .facts = facts};
}
