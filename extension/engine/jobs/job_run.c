#include "extension/engine/jobs/job_run.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "extension/engine/jobs/cluster_job.h"
#include "extension/engine/jobs/follow.h"
#include "extension/engine/jobs/trained.h"
#include "extension/engine/jobs/unpublished.h"
#include "k8s/job/cluster_folder.h"
#include "runtime/data/store/destination.h"
#include "runtime/launch/job_detach.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/job_lock.h"
#include "runtime/launch/job_process.h"
#include "runtime/launch/job_spec.h"
#include "runtime/launch/job_sync.h"

/* A table that another process than the session fills, from the job's folder. */
static bool needs_rows_later(const struct job *job)
{
    return job->plan->kind != STATEMENT_TRAIN && job->life->publishes != ACTOR_SESSION;
}

/* ----- rows and spec into tables ----- */

/* Processes that share no folder share no process. */
static enum status stage(struct job *job, struct error *err)
{
    const struct host_cluster *cluster = job->host->cluster;
    const struct staging staging = {.folder = &job->folder,
                                    .schema = job->target.schema,
                                    .table = job->target.name,
                                    .keeps_rows = needs_rows_later(job)};

    job->spec.in_one_process = false;
    TRY(job_write_spec(&job->folder, &job->spec, err));
    return cluster->stage(cluster->self, &staging, &job->request->job.job, err);
}

/* Drops the tables of a job that has failed, or was never started: not those of one that may go on
 * in its cluster. */
static void drop_tables(struct job *job)
{
    const struct host_cluster *cluster = job->host->cluster;
    const bool goes_on = job->plan->kind == STATEMENT_TRAIN && job_is_left_behind(job->folder.path);

    if (job->life->runs == PLACE_CLUSTER && !goes_on)
        cluster->discard(cluster->self, job->request->job.job, job->sink);
}

/* It has learned, and its statement fails: a listing is to say so. */
static void note_refused(const struct job *job, const struct error *err)
{
    struct jobstore *store;
    struct job_row row;
    struct error ignored;
    char path[PATH_MAX];

    error_clear(&ignored);
    if (job_folder_file(&job->folder, "job.db", path, &ignored) != STATUS_OK ||
        jobstore_open_durable(path, &store, &ignored) != STATUS_OK)
        return;
    if (jobstore_get_job(store, &row, &ignored) == STATUS_OK) {
        row.state = JOB_STATE_FAILED;
        snprintf(row.error, sizeof row.error, "%s", err->message);
        (void)jobstore_put_job(store, &row, &ignored);
    }
    jobstore_close(store);
}

/* A model that may never be published is kept for nobody. */
static void give_up_refused(struct job *job, const struct error *err)
{
    if (!trained_is_refused(err))
        return;
    note_refused(job, err);
    unpublished_remove(&job->folder);
    drop_tables(job);
}

/* ----- the session waits ----- */

/* Holds the table as it is now, for the workers that read it, until they have staged all of it. */
static enum status hold(struct job *job, struct error *err)
{
    const struct host_cluster *cluster = job->host->cluster;
    struct cluster_request *request = job->request;

    if (request->order.count == 0)
        return STATUS_OK;
    TRY(cluster->hold(cluster->self, &request->order, request->snapshot, err));
    request->job.snapshot = slice_of(request->snapshot);
    return STATUS_OK;
}

/* An unforeseen end: the hint names the log. */
static void point_to_log(const struct job *job, struct error *err)
{
    if (err->hint[0] || job->life->runs != PLACE_MACHINE || err->status == STATUS_INTERRUPTED ||
        err->status == STATUS_INVALID || err->status == STATUS_LIMIT)
        return;
    error_hint(err, "The job's log is %.400s/log.", job->folder.path);
}

static enum status goes_on(void *self, bool *does, struct error *err)
{
    struct job *job = self;

    TRY(job->work->judge(job, err));
    *does = !job->begins_again;
    return STATUS_OK;
}

/* It has ended: well, or with an error that may be that of a wrong plan. Where nobody can say so,
 * it is not. */
static enum status judge_end(struct job *job, enum status end, struct error *err)
{
    struct error ignored;

    if (!job->work->judge || job->begins_again || end == STATUS_INTERRUPTED)
        return end;
    if (end == STATUS_OK)
        return job->work->judge(job, err);
    error_clear(&ignored);
    (void)job->work->judge(job, &ignored);
    return end;
}

static void watch(const struct job *job, const struct job_folder *folder)
{
    const struct host_cluster *cluster = job->host->cluster;

    if (job->life->runs == PLACE_CLUSTER && cluster->watch)
        cluster->watch(cluster->self, job->request->job.job, folder);
}

static enum status follow(struct job *job, struct error *err)
{
    const struct follow_staged staged = {job, goes_on};
    const bool is_here = job->life->runs == PLACE_MACHINE;
    struct job_process process;
    enum status status;

    if (!is_here) {
        TRY_OR(failed, status, hold(job, err));
        TRY_OR(
            failed, status,
            cluster_folder_write(job->folder.path, &job->request->job, &job->request->access, err));
    }
    if (is_here && job->work->rehearse)
        TRY_OR(failed, status, job->work->rehearse(job, err));
    TRY_OR(failed, status, job_start(job->host, &job->folder, &job->spec, &process, err));
    status = job_follow(job->host,
                        &(struct followed){.folder = &job->folder,
                                           .process = &process,
                                           .staged = job->work->judge ? &staged : NULL,
                                           .number = is_here ? 0 : job->request->job.job},
                        job->sink, err);
    status = judge_end(job, status, err);
    if (status != STATUS_OK || job->begins_again) {
        point_to_log(job, err);
        job_close(&process);
        goto failed;
    }
    if (!is_here) {
        job_close(&process);
        status = job->work->collect(job, err);
        give_up_refused(job, err);
        return status;
    }
    /* The job's result is stored: it is collected while the supervisor gives back its memory and
     * throws the rows away. */
    status = job->work->collect(job, err);
    job_close(&process);
    give_up_refused(job, err);
    return status;
failed:
    unpublished_remove(&job->folder);
    drop_tables(job);
    if (!job->begins_again || job->host->session.interrupted(job->host->self))
        return status;
    error_clear(err);
    return STATUS_OK;
}

/* ----- it goes on without the session ----- */

/* Where the supervisor's publisher finds what it is to write, and where. A job that scores has its
 * model in the store already. */
static enum status put_destination(const struct job *job, struct error *err)
{
    struct destination destination = {.state = DESTINATION_PENDING};
    const bool trains = job->plan->kind == STATEMENT_TRAIN;
    struct jobstore *store;
    char path[PATH_MAX];
    enum status status;

    if (job->plan->into_file.size >= sizeof destination.database)
        return fail(err, STATUS_LIMIT, "the path of the database is too long");
    slice_copy(job->plan->into_file, destination.database, sizeof destination.database);
    slice_copy(job->target.name, destination.table, sizeof destination.table);
    TRY(job_folder_file(&job->folder, "job.db", path, err));
    TRY(trains ? jobstore_create(path, &store, err) : jobstore_open(path, false, &store, err));
    status = destination_put(store, &destination, err);
    jobstore_close(store);
    return status;
}

/* A job that a server keeps, or one on a cluster, is listed from now on, before its master has
 * reported anything. */
static enum status begin_record(const struct job *job, struct error *err)
{
    struct job_row row = {.id = job->folder.id,
                          .state = JOB_STATE_WAITING,
                          .loss = (double)NAN,
                          .validation_loss = (double)NAN,
                          .goodput = (double)NAN,
                          .rows_per_second = (double)NAN};
    struct jobstore *store;
    struct job_row found;
    struct error missing;
    char path[PATH_MAX];
    enum status status = STATUS_OK;

    TRY(job_folder_file(&job->folder, "job.db", path, err));
    slice_copy(job->spec.statement, row.statement, sizeof row.statement);
    slice_copy(job->spec.model_name, row.model, sizeof row.model);
    TRY(access(path, F_OK) == 0 ? jobstore_open(path, false, &store, err)
                                : jobstore_create(path, &store, err));
    if (jobstore_get_job(store, &found, &missing) != STATUS_OK)
        status = jobstore_put_job(store, &row, err);
    jobstore_close(store);
    return status;
}

/* All of it is on the disk before another process takes it over. */
static enum status hand_over(struct job *job, struct error *err)
{
    const struct host *host = job->host;
    const bool is_here = job->life->runs == PLACE_MACHINE;
    const bool is_served = job->life->waits == ACTOR_SERVER;
    struct job_folder *folder = &job->folder;

    if (is_here)
        TRY(job_write_spec(folder, &job->spec, err));
    else
        TRY(cluster_folder_write(folder->path, &job->request->job, &job->request->access, err));
    TRY(is_here && !is_served ? put_destination(job, err) : begin_record(job, err));
    TRY(job_keep(folder->path, err));
    if (needs_rows_later(job))
        TRY(job_keep_rows(folder->path, err));
    TRY(job_sync(folder->path, err));
    if (is_here && !is_served) {
        TRY(job_detach(host->session.program, folder, err));
        job_folder_leave(folder);
        return STATUS_OK;
    }
    job_folder_leave(folder);
    return is_served ? host->jobs->keep(host->self, folder, err)
                     : host->cluster->keep(host->cluster->self, folder, err);
}

enum status job_leave(struct job *job, struct error *err)
{
    const long long id = job->folder.id;

    if (hand_over(job, err) != STATUS_OK) {
        job_let_go(job->folder.path);
        return err->status;
    }
    if (job->life->waits == ACTOR_SUPERVISOR && job->life->runs == PLACE_MACHINE)
        sink_notice(job->sink,
                    "job %lld goes on without this session; totrain wait %lld follows it", id, id);
    else
        sink_notice(job->sink, "job %lld goes on without this session", id);
    return STATUS_OK;
}

/* ----- the road ----- */

/* Another process than the session reads from the job's store, or its tables, what is to be written
 * and where. */
static bool is_noted_elsewhere(const struct job_life *life)
{
    return life->runs == PLACE_TABLES ||
           (life->runs == PLACE_MACHINE && life->publishes == ACTOR_SUPERVISOR);
}

enum status job_run(struct job *job, struct error *err)
{
    const struct job_life *life = job->life;
    const struct host *host = job->host;
    enum status status;

    job->has_begun = job->begins_again = false;
    TRY(job_folder_begin(host, &job->folder, err));
    TRY_OR(removed, status, job->work->prepare(job, err));
    if (job->target.name.size > 0 && !is_noted_elsewhere(life))
        TRY_OR(
            removed, status,
            unpublished_begin(host, &job->folder, &job->target, life->waits != ACTOR_SESSION, err));
    if (life->runs != PLACE_MACHINE)
        TRY_OR(removed, status, stage(job, err));
    if (life->runs != PLACE_TABLES) /* the caller commits the rows of such a job */
        TRY_OR(removed, status, host_rows_read(host, err));
    job->has_begun = true;
    if (life->waits == ACTOR_SESSION) {
        watch(job, &job->folder);
        status = follow(job, err);
        watch(job, NULL);
        job_folder_clean(&job->folder);
        return status;
    }
    if (life->waits == ACTOR_NOBODY) { /* it has its number from its tables */
        job_folder_remove(&job->folder);
        return job->work->put_number(job, job->request->job.job, err);
    }
    TRY_OR(dropped, status, job_leave(job, err));
    return job->work->put_number(job, job->folder.id, err);
dropped:
    drop_tables(job);
removed:
    job_folder_remove(&job->folder);
    return status;
}
