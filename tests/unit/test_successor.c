#include "k8s/client/api_answer.h"
#include "k8s/objects/manifest.h"
#include "k8s/objects/successor.h"
#include "tests/check.h"

static const struct kube_job iris = {.name = {"iris", 4},
                                     .kube_namespace = {"training", 8},
                                     .image = {"localhost/totrain:1", 19},
                                     .pull_policy = {"Never", 5},
                                     .service_account = {"totrain", 7},
                                     .memory = (int64_t)512 << 20,
                                     .cpu_m = 1000,
                                     .workers_max = 3,
                                     .keep_s = 60};

/* The Job as the API server has it once it is released. */
static cJSON *running_job(void)
{
    cJSON *job = manifest_job(&iris);
    cJSON *metadata = cJSON_GetObjectItem(job, "metadata"),
          *spec = cJSON_GetObjectItem(job, "spec");
    cJSON *labels = cJSON_GetObjectItem(
        cJSON_GetObjectItem(cJSON_GetObjectItem(spec, "template"), "metadata"), "labels");

    json_add_string(metadata, "uid", SLICE("uid-of-the-job"));
    json_add_string(labels, "batch.kubernetes.io/controller-uid", SLICE("uid-of-the-job"));
    cJSON_ReplaceItemInObject(spec, "suspend", cJSON_CreateFalse());
    return job;
}

static void the_next_pod_is_one_of_the_controllers(void **state)
{
    cJSON *job = running_job();
    cJSON *pod = successor_pod(job, SLICE("0123456789abcdef"), SLICE(""));
    const cJSON *owner = cJSON_GetArrayItem(API_MEMBER(pod, "metadata", "ownerReferences"), 0);
    (void)state;

    CHECK_SLICE(API_TEXT(pod, "metadata", "name"), "iris-01234567");
    CHECK_SLICE(API_TEXT(pod, "metadata", "namespace"), "training");
    CHECK(cJSON_Compare(API_MEMBER(pod, "metadata", "labels"),
                        API_MEMBER(job, "spec", "template", "metadata", "labels"), true));
    CHECK(
        cJSON_Compare(API_MEMBER(pod, "spec"), API_MEMBER(job, "spec", "template", "spec"), true));
    CHECK_SLICE(api_text(cJSON_GetArrayItem(API_MEMBER(pod, "metadata", "finalizers"), 0)),
                "batch.kubernetes.io/job-tracking");
    CHECK_SLICE(API_TEXT(owner, "uid"), "uid-of-the-job");
    CHECK(cJSON_IsTrue(API_MEMBER(owner, "controller")));
    CHECK(!API_MEMBER(owner, "blockOwnerDeletion")); /* a right of its own */
    cJSON_Delete(pod);
    cJSON_Delete(job);
}

static void it_would_rather_not_be_on_a_node_that_is_out_of_reach(void **state)
{
    cJSON *job = running_job();
    cJSON *pod = successor_pod(job, SLICE("0123456789abcdef"), SLICE("node-7"));
    const cJSON *terms = API_MEMBER(pod, "spec", "affinity", "nodeAffinity",
                                    "preferredDuringSchedulingIgnoredDuringExecution");
    const cJSON *field = cJSON_GetArrayItem(
        API_MEMBER(cJSON_GetArrayItem(terms, 0), "preference", "matchFields"), 0);
    (void)state;

    CHECK_SLICE(API_TEXT(field, "operator"), "NotIn");
    CHECK_SLICE(api_text(cJSON_GetArrayItem(API_MEMBER(field, "values"), 0)), "node-7");
    CHECK(!API_MEMBER(job, "spec", "template", "spec", "affinity")); /* the Job's own stays */
    cJSON_Delete(pod);
    cJSON_Delete(job);
}

static void a_job_that_is_over_deleted_or_suspended_needs_none(void **state)
{
    static const char *const ends[] = {"Complete", "SuccessCriteriaMet", "Failed", "FailureTarget"};
    cJSON *job = running_job(), *conditions, *condition;
    const struct slice uid = SLICE("uid-of-the-job");
    (void)state;

    CHECK_INT(job_future(job, uid), JOB_GOES_ON);
    CHECK_INT(job_future(job, SLICE("another")), JOB_IS_GONE);
    conditions = json_add_array(json_add_object(job, "status"), "conditions");
    condition = cJSON_CreateObject();
    json_append(conditions, condition);
    json_add_string(condition, "status", SLICE("True"));
    json_add_string(condition, "type", SLICE("Suspended"));
    CHECK_INT(job_future(job, uid), JOB_GOES_ON);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        cJSON_ReplaceItemInObject(condition, "type", cJSON_CreateString(ends[i]));
        CHECK_INT(job_future(job, uid), JOB_RESTS);
    }
    cJSON_ReplaceItemInObject(condition, "status", cJSON_CreateString("False"));
    CHECK_INT(job_future(job, uid), JOB_GOES_ON);
    cJSON_ReplaceItemInObject(cJSON_GetObjectItem(job, "spec"), "suspend", cJSON_CreateTrue());
    CHECK_INT(job_future(job, uid), JOB_RESTS);
    json_add_string(cJSON_GetObjectItem(job, "metadata"), "deletionTimestamp",
                    SLICE("2026-11-22T00:00:00Z"));
    CHECK_INT(job_future(job, uid), JOB_IS_GONE);
    cJSON_Delete(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_pod_is_one_of_the_controllers),
        cmocka_unit_test(it_would_rather_not_be_on_a_node_that_is_out_of_reach),
        cmocka_unit_test(a_job_that_is_over_deleted_or_suspended_needs_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
