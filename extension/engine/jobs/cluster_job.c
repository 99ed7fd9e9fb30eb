#include "extension/engine/jobs/cluster_job.h"

#include "extension/engine/jobs/follow.h"
#include "k8s/job/kube_job_name.h"
#include "parser/statement.h"
#include "runtime/launch/job_process.h"

/* The statement's values override all others. */
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

/* The name of the model or table that the job makes, else of the model that it reads. */
static struct slice name_of(const struct plan *plan)
{
    if (plan->kind == STATEMENT_TRAIN)
        return plan->into_name;
    return plan->has_target ? plan->target_table : plan->model_name;
}

enum status cluster_check(const struct host *host, const struct plan *plan, struct arena *arena,
                          struct cluster_request *request, struct error *err)
{
    const bool trains = plan->kind == STATEMENT_TRAIN;
    const uint32_t least = trains ? plan->spec.min_workers : plan->scoring.min_workers;
    const uint32_t most = trains ? plan->spec.max_workers : plan->scoring.max_workers;
    struct kube_job *job = &request->job;

    *job = (struct kube_job){
        .kube_namespace = SLICE(KUBE_JOB_NAMESPACE),
        .pull_policy = SLICE("IfNotPresent"),
        .service_account = SLICE(KUBE_JOB_ACCOUNT),
        .cpu_m = KUBE_JOB_CPU_M,
        .memory = KUBE_JOB_MEMORY,
        .workers_max = most > least ? most : least,
        .keep_s = KUBE_JOB_KEEP_S,
        .statement = slice_of(statement_kind_name(plan->kind)),
        .model = trains ? plan->into_name : plan->model_name,
    };
    TRY(host->cluster->describe(host->cluster->self, &plan->cluster, arena, job, &request->access,
                                err));
    TRY(take_wanted(&plan->cluster, job, err));
    if (trains)
        kube_job_set_servers(job, plan->spec.servers, plan->spec.server_memory,
                             plan->cluster.server_cpu_m);
    if (job->name.size == 0)
        TRY(kube_job_invent_name(name_of(plan), arena, &job->name, err));
    return kube_job_check(job, err);
}

enum status cluster_follow(const struct host *host, const struct job_folder *folder, int64_t number,
                           const struct sink *sink, struct error *err)
{
    struct job_process process;
    enum status status;

    TRY(job_resume(host, folder, &process, err));
    status = job_follow(host,
                        &(struct followed){.folder = folder, .process = &process, .number = number},
                        sink, err);
    job_close(&process);
    return status;
}
