#include "extension/engine/jobs/cluster.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "extension/engine/jobs/stages.h"
#include "extension/engine/jobs/unpublished.h"

/* What the statement says counts most. */
static enum status take_wanted(const struct plan_cluster *wanted, struct kube_job *job,
                               struct error *err)
{
    if (wanted->priority_class.size > 0)
        job->priority_class = wanted->priority_class;
    if (wanted->cpu_m > 0)
        job->cpu_m = wanted->cpu_m;
    if (wanted->memory.size > 0)
        TRY(quantity_read_memory(wanted->memory, &job->memory, err));
    job->memory_max = job->memory * KUBE_JOB_MEMORY_GROWTH;
    return STATUS_OK;
}

enum status cluster_check(const struct host *host, const struct plan *plan, struct arena *arena,
                          struct cluster_wish *wish, struct error *err)
{
    const struct plan_training *training = &plan->training;
    struct kube_job *job = &wish->job;

    *job = (struct kube_job){
        .kube_namespace = SLICE(KUBE_JOB_NAMESPACE),
        .pull_policy = SLICE("IfNotPresent"),
        .service_account = SLICE(KUBE_JOB_ACCOUNT),
        .cpu_m = KUBE_JOB_CPU_M,
        .memory = KUBE_JOB_MEMORY,
        .workers_max = training->max_workers > training->min_workers ? training->max_workers
                                                                     : training->min_workers,
        .keep_s = KUBE_JOB_KEEP_S,
    };
    TRY(host->cluster->describe(host->cluster->self, &plan->cluster, arena, job, &wish->access,
                                err));
    TRY(take_wanted(&plan->cluster, job, err));
    if (job->name.size == 0)
        TRY(kube_job_invent_name(plan->into_name, arena, &job->name, err));
    return kube_job_check(job, err);
}

/* Pods of one job each have a process: none shares the master's. */
static enum status stage(const struct host *host, const struct plan *plan,
                         const struct job_folder *folder, struct jobspec *spec,
                         struct cluster_wish *wish, struct error *err)
{
    const struct staging staging = {folder, plan->into_schema, plan->into_name};

    spec->in_one_process = false;
    wish->job.workers_max = spec->max_workers;
    TRY(job_write_spec(folder, spec, err));
    TRY(host->cluster->stage(host->cluster->self, &staging, &wish->job.job, err));
    return host_rows_read(host, err);
}

/* What workers read is what the table held now, for as long as the job runs. */
static enum status hold(const struct host *host, struct cluster_wish *wish, struct error *err)
{
    if (wish->order.count == 0)
        return STATUS_OK;
    TRY(host->cluster->hold(host->cluster->self, &wish->order, wish->snapshot, err));
    wish->job.snapshot = slice_of(wish->snapshot);
    return STATUS_OK;
}

static enum status run(const struct host *host, const struct job_folder *folder,
                       const struct jobspec *spec, const struct cluster_wish *wish,
                       const struct sink *sink, struct error *err)
{
    struct job_process process;
    enum status status;

    TRY(cluster_folder_write(folder->path, &wish->job, &wish->access, err));
    TRY(job_start(host, folder, spec, &process, err));
    status = job_follow(host, &process, sink, err);
    job_close(&process);
    return status;
}

static enum status hold_and_run(const struct host *host, const struct job_folder *folder,
                                const struct jobspec *spec, struct cluster_wish *wish,
                                const struct sink *sink, struct error *err)
{
    TRY(hold(host, wish, err));
    return run(host, folder, spec, wish, sink, err);
}

enum status cluster_follow(const struct host *host, const struct job_folder *folder,
                           const struct sink *sink, struct error *err)
{
    struct job_process process;
    enum status status;

    TRY(job_resume(host, folder, &process, err));
    status = job_follow(host, &process, sink, err);
    job_close(&process);
    return status;
}

/* Whoever looks sees a job from now on. */
static enum status begin_books(const struct job_folder *folder, const struct jobspec *spec,
                               struct error *err)
{
    struct job_row row = {.id = folder->id,
                          .state = JOB_STATE_WAITING,
                          .loss = (double)NAN,
                          .validation_loss = (double)NAN,
                          .goodput = (double)NAN,
                          .rows_per_second = (double)NAN};
    struct jobstore *store;
    char path[PATH_MAX];
    enum status status;

    TRY(job_folder_file(folder, "job.db", path, err));
    if (access(path, F_OK) == 0)
        return STATUS_OK;
    slice_copy(spec->statement, row.statement, sizeof row.statement);
    slice_copy(spec->model_name, row.model, sizeof row.model);
    TRY(jobstore_create(path, &store, err));
    status = jobstore_put_job(store, &row, err);
    jobstore_close(store);
    return status;
}

static enum status keep(const struct host *host, struct job_folder *folder,
                        const struct jobspec *spec, const struct cluster_wish *wish,
                        struct error *err)
{
    enum status status;

    TRY(cluster_folder_write(folder->path, &wish->job, &wish->access, err));
    TRY(begin_books(folder, spec, err));
    TRY(job_keep(folder->path, err));
    TRY(job_sync(folder->path, err));
    job_folder_leave(folder);
    status = host->cluster->keep(host->cluster->self, folder, err);
    if (status != STATUS_OK)
        job_let_go(folder->path);
    return status;
}

static enum status leave(const struct host *host, struct job_folder *folder,
                         const struct jobspec *spec, const struct cluster_wish *wish,
                         const struct sink *sink, struct error *err)
{
    const struct cell row[] = {cell_string("job"), cell_integer(folder->id), cell_null()};

    TRY(keep(host, folder, spec, wish, err));
    sink_notice(sink, "job %lld goes on without this session", (long long)folder->id);
    return sink_row(sink, row, 3, err);
}

/* Its tables stay where the model cannot be written. */
static enum status collect(const struct host *host, const struct job_folder *folder, int64_t number,
                           const struct sink *sink, struct error *err)
{
    char why[sizeof err->message];

    if (host->cluster->collect(host->cluster->self, number, folder, sink, err) == STATUS_OK)
        return unpublished_written(host, folder, err);
    snprintf(why, sizeof why, "the model could not be written: %.200s", err->message);
    unpublished_note(folder, why);
    return err->status;
}

static enum status train(const struct host *host, const struct plan *plan,
                         struct job_folder *folder, struct jobspec *spec, struct cluster_wish *wish,
                         bool keeps, const struct sink *sink, struct error *err)
{
    const struct host_cluster *cluster = host->cluster;
    enum status status;

    TRY(unpublished_begin(host, folder, plan->into_schema, plan->into_name, err));
    TRY(stage(host, plan, folder, spec, wish, err));
    if (keeps)
        status = leave(host, folder, spec, wish, sink, err);
    else
        status = hold_and_run(host, folder, spec, wish, sink, err);
    if (status != STATUS_OK) {
        unpublished_remove(folder);
        cluster->discard(cluster->self, wish->job.job, sink);
    } else if (!keeps) {
        status = collect(host, folder, wish->job.job, sink, err);
    }
    return status;
}

enum status cluster_train(const struct host *host, const struct plan *plan,
                          struct job_folder *folder, struct jobspec *spec,
                          struct cluster_wish *wish, const struct sink *sink, struct error *err)
{
    /* What workers read in the user's table is held by this session's snapshot. */
    const bool keeps = host->cluster->keep && wish->order.count == 0 &&
                       (!plan->training.wait || host->cluster->keeps_all);
    const enum status status = train(host, plan, folder, spec, wish, keeps, sink, err);

    if (!keeps || status != STATUS_OK)
        job_folder_clean(folder);
    return status;
}
