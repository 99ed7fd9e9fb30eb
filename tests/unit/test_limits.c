/* LimitRanges and quotas of a namespace, and jobs that are fitted to them. */
#include "k8s/objects/limits.h"
#include "tests/check.h"

static struct kube_job usual_job(void)
{
    return (struct kube_job){.cpu_m = KUBE_JOB_CPU_M,
                             .memory = KUBE_JOB_MEMORY,
                             .memory_max = 4 * KUBE_JOB_MEMORY,
                             .workers_max = 4};
}

static enum status fit(struct kube_job *job, const char *list, struct error *err)
{
    struct limits limits = {.wants_cpu_limit = false};
    cJSON *object;
    enum status status;

    CHECK_INT(json_parse(slice_of(list), 4096, &object, err), STATUS_OK);
    limits_read(&limits, object);
    status = limits_fit(&limits, job, err);
    cJSON_Delete(object);
    return status;
}

#define RANGE(of) "{\"items\":[{\"spec\":{\"limits\":[{\"type\":\"Container\"," of "}]}}]}"
#define MIB       ((int64_t)1 << 20)

static void sizes_that_nobody_asked_for_become_what_is_allowed(void **state)
{
    struct kube_job job = usual_job();
    struct error err;
    (void)state;

    CHECK_OK(fit(&job, RANGE("\"max\":{\"cpu\":\"500m\",\"memory\":\"128Mi\"}"), &err));
    CHECK_INT(job.cpu_m, 500);
    CHECK_INT(kube_job_master_cpu_m(&job), KUBE_JOB_MASTER_CPU_M);
    CHECK_INT(job.master_cpu_m, 0); /* it fits as it is */
    CHECK_INT(job.memory, 128 * MIB);
    CHECK_INT(job.memory_max, 128 * MIB);
    CHECK_INT(kube_job_master_memory(&job), 128 * MIB);
    CHECK_INT(job.cpu_limit_percent, 100); /* one without a limit has the greatest */
    job = usual_job();
    CHECK_OK(fit(&job, RANGE("\"min\":{\"cpu\":\"200m\",\"memory\":\"2Gi\"}"), &err));
    CHECK_INT(job.cpu_m, KUBE_JOB_CPU_M);
    CHECK_INT(kube_job_master_cpu_m(&job), 200);
    CHECK_INT(job.memory, 2048 * MIB);
    CHECK_INT(kube_job_master_memory(&job), 2048 * MIB);
    CHECK_INT(job.cpu_limit_percent, 0);
    job = usual_job();
    kube_job_set_servers(&job, 2, 0, 0);
    CHECK_OK(fit(&job, RANGE("\"max\":{\"cpu\":\"0.5\",\"memory\":\"512Mi\"}"), &err));
    CHECK_INT(job.server_cpu_m, 500);
    CHECK_INT(job.server_memory, 512 * MIB);
    CHECK_INT(job.server_memory_max, 512 * MIB);
}

static void a_limit_of_processors_is_set_where_one_is_wanted(void **state)
{
    static const char *const wanting[] = {
        RANGE("\"default\":{\"cpu\":\"20m\"}"), RANGE("\"maxLimitRequestRatio\":{\"cpu\":\"2\"}"),
        "{\"items\":[{\"spec\":{\"hard\":{\"limits.cpu\":\"8\"}}}]}"};
    static const char *const others[] = {
        "{\"items\":[]}", "{}", RANGE("\"default\":{\"memory\":\"1Gi\"}"),
        "{\"items\":[{\"spec\":{\"hard\":{\"requests.cpu\":\"8\"}}}]}",
        "{\"items\":[{\"spec\":{\"limits\":[{\"type\":\"PersistentVolumeClaim\","
        "\"max\":{\"cpu\":\"1m\"}}]}}]}"};
    struct kube_job job;
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof wanting / sizeof *wanting; i++) {
        job = usual_job();
        CHECK_OK(fit(&job, wanting[i], &err));
        CHECK_INT(job.cpu_limit_percent, 100);
        CHECK_INT(job.cpu_m, KUBE_JOB_CPU_M);
        job = usual_job();
        job.cpu_limit_percent = 150;
        CHECK_OK(fit(&job, wanting[i], &err));
        CHECK_INT(job.cpu_limit_percent, 150);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        job = usual_job();
        CHECK_OK(fit(&job, others[i], &err));
        CHECK_INT(job.cpu_limit_percent, 0);
        CHECK_INT(job.cpu_m, KUBE_JOB_CPU_M);
    }
    job = usual_job(); /* the limit is what must not be greater */
    job.cpu_limit_percent = 200;
    CHECK_OK(fit(&job, RANGE("\"max\":{\"cpu\":\"1\"}"), &err));
    CHECK_INT(job.cpu_m, 500);
    job = usual_job(); /* a quantity that cannot be read is left to the cluster */
    CHECK_OK(fit(&job, RANGE("\"max\":{\"cpu\":\"much\"},\"min\":{\"memory\":7}"), &err));
    CHECK_INT(job.cpu_m, KUBE_JOB_CPU_M);
}

static void of_sizes_that_were_asked_for_it_is_said_what_to_set(void **state)
{
    struct kube_job job = usual_job();
    struct error err;
    (void)state;

    job.cpu_m = 2000;
    CHECK_FAILS(
        fit(&job, RANGE("\"max\":{\"cpu\":\"500m\"}"), &err), STATUS_INVALID,
        "a worker: 2 processors, more than the 0.5 that a LimitRange of the namespace allows");
    CHECK(strstr(err.hint, "job.worker_cpu, or --cpu, sets it."));
    job = usual_job();
    job.memory = 64 * MIB;
    CHECK_FAILS(fit(&job, RANGE("\"min\":{\"memory\":\"100Mi\"}"), &err), STATUS_INVALID,
                "a worker: 64 MiB, less than the 100 that");
    CHECK(strstr(err.hint, "job.worker_memory"));
    job = usual_job();
    job.master_memory = 512 * MIB;
    CHECK_FAILS(fit(&job, RANGE("\"max\":{\"memory\":\"300Mi\"}"), &err), STATUS_INVALID,
                "the master: 512 MiB, more than the 300 that");
    job = usual_job();
    job.cpu_limit_percent = 300;
    CHECK_FAILS(fit(&job, RANGE("\"maxLimitRequestRatio\":{\"cpu\":\"2\"}"), &err), STATUS_INVALID,
                "the limit of processors is 300 % of what a pod asks for, and a LimitRange of the "
                "namespace allows 200 %");
    CHECK(strstr(err.hint, "totrain.kubernetes_cpu_limit"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_nobody_asked_for_become_what_is_allowed),
        cmocka_unit_test(a_limit_of_processors_is_set_where_one_is_wanted),
        cmocka_unit_test(of_sizes_that_were_asked_for_it_is_said_what_to_set),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
