#include "cli/cluster/k8s_admission.h"

#include <stdio.h>
#include <string.h>

#include "cli/session/cluster_jobs.h"
#include "k8s/client/api_answer.h"
#include "k8s/client/http_exchange.h"
#include "k8s/objects/limits.h"
#include "k8s/objects/manifest.h"
#include "k8s/objects/successor.h"

#define TRIES 4

/* Words of admission, and a change that helps. The first that fits is shown. */
static const struct {
    const char *words, *hint;
} hints[] = {
    {"limits.cpu", "A limit of processors: --cpu=1:2, totrain.kubernetes_cpu_limit, or cpu_limit "
                   "of a profile."},
    {"limit to request ratio per", "A limit nearer to the request: --cpu=1:1, "
                                   "totrain.kubernetes_cpu_limit = 100, or cpu_limit of a "
                                   "profile."},
    {"cpu limit", "A limit of processors: --cpu=1:2, totrain.kubernetes_cpu_limit, or cpu_limit "
                  "of a profile."},
    {"maximum cpu usage per", "A limit of processors: --cpu=1:2, totrain.kubernetes_cpu_limit, or "
                              "cpu_limit of a profile."},
    {"minimum cpu usage per", "More processors: --cpu for workers, master_cpu of a profile for "
                              "the master."},
    {"memory usage per", "Another size: --memory for workers, master_memory of a profile for the "
                         "master."},
    {"exceeded quota", "The quota has no room for it now; a job would wait."},
    {"violates PodSecurity", "read_only_root of a profile, or the namespace's label "
                             "pod-security.kubernetes.io/enforce."},
    {"readOnlyRootFilesystem", "read_only_root of a profile."},
    {"no PriorityClass", "totrain k8s rbac classes prints those of ToTrain."},
    {"RuntimeClass", "runtime_class of the profile names none of the cluster."},
    {"dry run", "A webhook of the cluster says nothing about dry runs: only a job shows whether it "
                "is admitted."},
};

static const char *hint_for(const char *message)
{
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strstr(message, hints[i].words))
            return hints[i].hint;
    return NULL;
}

static enum status ask(struct http *http, struct slice kube_namespace, const cJSON *pod,
                       struct error *err)
{
    const struct api_target target = {
        .kind = API_PODS, .kube_namespace = kube_namespace, .is_dry_run = true};
    struct api_answer answer = {.retry_after_ms = -1};
    struct http_request request;
    enum status status;

    http_request_init(&request);
    status = api_create(&request, &target, pod, err);
    if (status == STATUS_OK)
        status = http_exchange_again(http, &request, "admit a pod", TRIES, &answer, err);
    api_answer_deinit(&answer);
    http_request_deinit(&request);
    return status;
}

/* Reads one of the kinds of what limits the namespace's pods; a kind that may not be read limits
 * nothing, as for a job (creation.h). */
static enum status read_limits(struct http *http, enum api_kind kind, struct slice kube_namespace,
                               struct limits *limits, struct error *err)
{
    const struct api_target target = {.kind = kind, .kube_namespace = kube_namespace};
    struct api_answer answer = {.retry_after_ms = -1};
    struct http_request request;
    enum status status;

    http_request_init(&request);
    status = api_list(&request, &target, SLICE(""), SLICE(""), err);
    if (status == STATUS_OK)
        status = http_exchange_again(http, &request, "read what limits pods", TRIES, &answer, err);
    if (status == STATUS_OK)
        limits_read(limits, answer.object);
    api_answer_deinit(&answer);
    http_request_deinit(&request);
    if (status != STATUS_PERMISSION && status != STATUS_NOT_FOUND)
        return status;
    error_clear(err);
    return STATUS_OK;
}

static enum status fit(struct http *http, struct kube_job *job, struct error *err)
{
    struct limits limits = {.wants_cpu_limit = false};

    TRY(read_limits(http, API_LIMIT_RANGES, job->kube_namespace, &limits, err));
    TRY(read_limits(http, API_RESOURCE_QUOTAS, job->kube_namespace, &limits, err));
    return limits_fit(&limits, job, err);
}

/* Is it the cluster that refuses this Pod, rather than a connection that fails? */
static bool is_verdict(enum status status)
{
    return status == STATUS_PERMISSION || status == STATUS_INVALID || status == STATUS_LIMIT ||
           status == STATUS_FAILED;
}

/* Counts a refusal, which is told here; other failures end the check. */
static enum status judge(struct http *http, struct slice kube_namespace, const char *who,
                         cJSON *pod, unsigned *refused, struct error *err)
{
    const enum status status = ask(http, kube_namespace, pod, err);
    const char *hint;

    cJSON_Delete(pod);
    if (status != STATUS_OK && !is_verdict(status))
        return status;
    printf("%-4s the cluster admits a %s's pod\n", status == STATUS_OK ? "yes" : "NO", who);
    if (status == STATUS_OK)
        return STATUS_OK;
    ++*refused;
    printf("     %s\n", err->message);
    hint = hint_for(err->message);
    if (hint)
        printf("     HINT:  %s\n", hint);
    error_clear(err);
    return STATUS_OK;
}

static enum status judge_both(struct http *http, struct kube_job *job, struct arena *arena,
                              struct error *err)
{
    const struct kube_member worker = {.memory = job->memory,
                                       .master = manifest_master_address(job, arena)};
    cJSON *object = manifest_job(job), *master = successor_trial(object);
    unsigned refused = 0;
    enum status status;

    cJSON_Delete(object);
    status = judge(http, job->kube_namespace, "master", master, &refused, err);
    if (status == STATUS_OK)
        status = judge(http, job->kube_namespace, "worker",
                       manifest_member(job, &worker, SLICE("")), &refused, err);
    if (status != STATUS_OK || refused == 0)
        return status;
    return fail(err, STATUS_FAILED, "the namespace %.*s refuses %s",
                SLICE_FORMAT(job->kube_namespace),
                refused == 2 ? "the pods of jobs" : "one of a job's two pods");
}

enum status k8s_check_admission(struct http *http, struct slice kube_namespace,
                                const struct cluster_options *options, struct error *err)
{
    struct kube_job job;
    struct arena arena;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    cluster_job_begin(&job);
    job.kube_namespace = kube_namespace;
    TRY_OR(done, status, cluster_job_fill(options, &arena, &job, err));
    job.name = SLICE("totrain-check");
    job.memory_max = job.memory;
    job.workers_max = 1;
    TRY_OR(done, status, fit(http, &job, err));
    TRY_OR(done, status, kube_job_check(&job, err));
    status = judge_both(http, &job, &arena, err);
done:
    arena_deinit(&arena);
    return status;
}
