#include "k8s/objects/limits.h"

#include <math.h>

#include "k8s/client/api_answer.h"

#define MEBIBYTE ((int64_t)1 << 20)

typedef enum status quantity_reader(struct slice text, int64_t *value, struct error *err);

/* ----- what is asked ----- */

static int64_t read_quantity(const cJSON *item, const char *bound, const char *resource,
                             quantity_reader *read)
{
    struct error ignored;
    int64_t value;

    error_clear(&ignored);
    return read(API_TEXT(item, bound, resource), &value, &ignored) == STATUS_OK ? value : 0;
}

static void raise_to(int64_t *bound, int64_t value)
{
    if (value > *bound)
        *bound = value;
}

static void lower_to(int64_t *bound, int64_t value)
{
    if (value > 0 && (*bound == 0 || value < *bound))
        *bound = value;
}

/* A default limit of less than the request is refused, unless the pod has a limit of its own; where
 * there is a greatest size, or a greatest ratio, one without a limit is. */
static void read_item(struct limits *limits, const cJSON *item)
{
    const struct slice ratio = API_TEXT(item, "maxLimitRequestRatio", "cpu");
    double times;

    raise_to(&limits->cpu_least, read_quantity(item, "min", "cpu", quantity_read_cpu));
    lower_to(&limits->cpu_most, read_quantity(item, "max", "cpu", quantity_read_cpu));
    raise_to(&limits->memory_least, read_quantity(item, "min", "memory", quantity_read_memory));
    lower_to(&limits->memory_most, read_quantity(item, "max", "memory", quantity_read_memory));
    if (slice_to_real(ratio, &times) && times >= 1)
        lower_to(&limits->cpu_percent_most, (int64_t)fmin(100 * times, 1e9));
    limits->wants_cpu_limit = limits->wants_cpu_limit || ratio.size > 0 ||
                              API_TEXT(item, "max", "cpu").size > 0 ||
                              API_TEXT(item, "default", "cpu").size > 0;
}

void limits_read(struct limits *limits, const cJSON *list)
{
    const cJSON *object, *item;

    cJSON_ArrayForEach(object, API_MEMBER(list, "items"))
    {
        if (API_MEMBER(object, "spec", "hard", "limits.cpu"))
            limits->wants_cpu_limit = true;
        cJSON_ArrayForEach(item, API_MEMBER(object, "spec", "limits"))
        {
            const struct slice type = API_TEXT(item, "type");

            if (slice_is(type, "Container") || slice_is(type, "Pod")) /* a pod has one container */
                read_item(limits, item);
        }
    }
}

/* ----- a job within it ----- */

/* A size of a pod. */
struct size {
    int64_t *value;
    int64_t usual; /* the one of every job */
    const char *what, *set;
};

static enum status refuse(const struct size *size, const char *relation, int64_t bound,
                          const char *unit, int64_t divisor, struct error *err)
{
    fail(err, STATUS_INVALID, "%s: %g %s, %s the %g that a LimitRange of the namespace allows",
         size->what, (double)*size->value / (double)divisor, unit, relation,
         (double)bound / (double)divisor);
    return error_hint(err, "%s sets it.", size->set);
}

static enum status fit_size(const struct size *size, int64_t least, int64_t most, const char *unit,
                            int64_t divisor, struct error *err)
{
    if (most > 0 && *size->value > most) {
        if (*size->value != size->usual)
            return refuse(size, "more than", most, unit, divisor, err);
        *size->value = most;
    }
    if (*size->value < least) {
        if (*size->value != size->usual)
            return refuse(size, "less than", least, unit, divisor, err);
        *size->value = least;
    }
    return STATUS_OK;
}

static enum status fit_limit(const struct limits *limits, struct kube_job *job, struct error *err)
{
    if (job->cpu_limit_percent == 0 && limits->wants_cpu_limit)
        job->cpu_limit_percent = 100;
    if (limits->cpu_percent_most == 0 || job->cpu_limit_percent <= limits->cpu_percent_most)
        return STATUS_OK;
    fail(err, STATUS_INVALID,
         "the limit of processors is %lld %% of what a pod asks for, and a LimitRange of the "
         "namespace allows %lld %%",
         (long long)job->cpu_limit_percent, (long long)limits->cpu_percent_most);
    return error_hint(err,
                      "totrain.kubernetes_cpu_limit, --cpu or cpu_limit of a profile sets it.");
}

/* The limit is what must not be greater. */
static int64_t most_request(const struct limits *limits, const struct kube_job *job)
{
    const int64_t percent = job->cpu_limit_percent > 100 ? job->cpu_limit_percent : 100;

    return limits->cpu_most * 100 / percent;
}

static enum status fit_cpu(const struct limits *limits, struct kube_job *job, struct error *err)
{
    const int64_t most = most_request(limits, job);
    int64_t master = kube_job_master_cpu_m(job);
    const struct size sizes[] = {
        {&job->cpu_m, KUBE_JOB_CPU_M, "a worker", "job.worker_cpu, or --cpu,"},
        {&master, KUBE_JOB_MASTER_CPU_M, "the master", "master_cpu of a profile"},
        {&job->server_cpu_m, KUBE_JOB_CPU_M, "a parameter server", "job.ps_cpu"}};

    for (size_t i = 0; i < (job->servers > 0 ? 3u : 2u); i++)
        TRY(fit_size(&sizes[i], limits->cpu_least, most, "processors", 1000, err));
    if (master != kube_job_master_cpu_m(job))
        job->master_cpu_m = master;
    return STATUS_OK;
}

static enum status fit_memory(const struct limits *limits, struct kube_job *job, struct error *err)
{
    int64_t master = kube_job_master_memory(job);
    const struct size sizes[] = {
        {&job->memory, KUBE_JOB_MEMORY, "a worker", "job.worker_memory, or --memory,"},
        {&master, KUBE_JOB_MASTER_MEMORY, "the master", "master_memory of a profile"},
        {&job->server_memory, KUBE_JOB_MEMORY, "a parameter server", "job.ps_memory"}};

    for (size_t i = 0; i < (job->servers > 0 ? 3u : 2u); i++)
        TRY(fit_size(&sizes[i], limits->memory_least, limits->memory_most, "MiB", MEBIBYTE, err));
    if (master != kube_job_master_memory(job))
        job->master_memory = master;
    lower_to(&job->memory_max, limits->memory_most); /* one that ran out of memory grows so far */
    raise_to(&job->memory_max, job->memory);
    if (job->servers == 0)
        return STATUS_OK;
    lower_to(&job->server_memory_max, limits->memory_most);
    raise_to(&job->server_memory_max, job->server_memory);
    return STATUS_OK;
}

enum status limits_fit(const struct limits *limits, struct kube_job *job, struct error *err)
{
    TRY(fit_limit(limits, job, err));
    TRY(fit_cpu(limits, job, err));
    return fit_memory(limits, job, err);
}
