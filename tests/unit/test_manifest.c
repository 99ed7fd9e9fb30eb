#include "k8s/client/api_answer.h"
#include "k8s/job/kube_job_json.h"
#include "k8s/job/profile.h"
#include "k8s/objects/manifest.h"
#include "k8s/objects/placement.h"
#include "k8s/objects/rights.h"
#include "tests/check.h"

static const struct kube_job iris = {
    .name = {"iris", 4},
    .kube_namespace = {"training", 8},
    .image = {"localhost/totrain:1", 19},
    .pull_policy = {"Never", 5},
    .service_account = {"totrain", 7},
    .priority_class = {"batch", 5},
    .database_secret = {"login", 5},
    .schema = {"jobs", 4},
    .snapshot = {"00000003-0000001B-1", 19},
    .slot_resource = {"example.com/slot", 16},
    .job = 7,
    .cpu_m = 1500,
    .memory = (int64_t)512 << 20,
    .memory_max = (int64_t)2 << 30,
    .workers_max = 300,
    .keep_s = 60,
};

static struct slice label_of(const cJSON *object, const char *name)
{
    return API_TEXT(object, "metadata", "labels", name);
}

static const cJSON *container_of(const cJSON *pod_spec)
{
    return cJSON_GetArrayItem(API_MEMBER(pod_spec, "containers"), 0);
}

static struct slice argument_after(const cJSON *container, const char *name)
{
    const cJSON *argument, *arguments = API_MEMBER(container, "args");

    cJSON_ArrayForEach(argument, arguments) if (slice_is(api_text(argument), name)) return api_text(
        argument->next);
    return SLICE("");
}

static void check_restricted(const cJSON *spec)
{
    const cJSON *security = API_MEMBER(container_of(spec), "securityContext");

    CHECK(cJSON_IsTrue(API_MEMBER(spec, "securityContext", "runAsNonRoot")));
    CHECK_SLICE(API_TEXT(spec, "securityContext", "seccompProfile", "type"), "RuntimeDefault");
    CHECK(cJSON_IsFalse(API_MEMBER(security, "allowPrivilegeEscalation")));
    CHECK(cJSON_IsFalse(API_MEMBER(security, "readOnlyRootFilesystem")));
    CHECK_SLICE(api_text(cJSON_GetArrayItem(API_MEMBER(security, "capabilities", "drop"), 0)),
                "ALL");
    CHECK_SLICE(API_TEXT(spec, "priorityClassName"), "batch");
}

/* Checks that a pod sees these files of Secrets: PATH SECRET:KEY, each with a semicolon behind. */
static void check_files(const cJSON *spec, const char *files)
{
    const cJSON *volumes = API_MEMBER(spec, "volumes"), *volume = NULL, *found, *source, *item;
    const cJSON *mount = cJSON_GetArrayItem(API_MEMBER(container_of(spec), "volumeMounts"), 0);
    struct text seen;

    cJSON_ArrayForEach(found, volumes)
    {
        CHECK(!API_MEMBER(found, "secret")); /* each would be a file system of its own */
        if (!API_MEMBER(found, "projected"))
            continue;
        CHECK(!volume);
        volume = found;
    }
    CHECK_SLICE(slice_of(API_MEMBER(volume, "projected", "defaultMode")->valuestring),
                "288"); /* 0440 */
    CHECK_SLICE(API_TEXT(mount, "name"), "secrets");
    CHECK_SLICE(API_TEXT(volume, "name"), "secrets");
    CHECK(cJSON_IsTrue(API_MEMBER(mount, "readOnly")));
    text_init(&seen, 1 << 16);
    cJSON_ArrayForEach(source, API_MEMBER(volume, "projected", "sources"))
    {
        CHECK_INT(cJSON_GetArraySize(source), 1);
        CHECK(API_MEMBER(source, "secret", "items")); /* else all of it */
        cJSON_ArrayForEach(item, API_MEMBER(source, "secret", "items")) text_printf(
            &seen, "%.*s/%.*s %.*s:%.*s;", SLICE_FORMAT(API_TEXT(mount, "mountPath")),
            SLICE_FORMAT(API_TEXT(item, "path")), SLICE_FORMAT(API_TEXT(source, "secret", "name")),
            SLICE_FORMAT(API_TEXT(item, "key")));
    }
    CHECK_SLICE(text_slice(&seen), files);
    text_deinit(&seen);
}

static void the_job_is_suspended_and_its_master_has_a_token(void **state)
{
    cJSON *job = manifest_job(&iris);
    const cJSON *spec = API_MEMBER(job, "spec", "template", "spec");
    (void)state;

    CHECK(cJSON_IsTrue(API_MEMBER(job, "spec", "suspend")));
    CHECK_SLICE(API_TEXT(job, "metadata", "name"), "iris");
    CHECK_SLICE(label_of(job, "totrain.dev/job"), "iris");
    CHECK_SLICE(label_of(job, "app.kubernetes.io/managed-by"), "totrain");
    CHECK_SLICE(API_TEXT(job, "spec", "template", "metadata", "labels", "totrain.dev/role"),
                "master");
    CHECK(cJSON_IsTrue(API_MEMBER(spec, "automountServiceAccountToken")));
    CHECK_SLICE(API_TEXT(spec, "serviceAccountName"), "totrain");
    CHECK_SLICE(API_TEXT(spec, "restartPolicy"), "OnFailure");
    check_restricted(spec);
    CHECK_SLICE(argument_after(container_of(spec), "master"), "/var/lib/totrain/jobs/7");
    CHECK_SLICE(argument_after(container_of(spec), "--kubernetes"),
                "/etc/totrain/job/cluster.json");
    CHECK_SLICE(argument_after(container_of(spec), "--database"), "/etc/totrain/database/login");
    CHECK_SLICE(argument_after(container_of(spec), "--schema"), "jobs");
    CHECK_SLICE(api_text(API_MEMBER(cJSON_GetArrayItem(API_MEMBER(container_of(spec), "env"), 1),
                                    "valueFrom", "fieldRef", "fieldPath")),
                "metadata.labels['batch.kubernetes.io/controller-uid']");
    check_files(spec, "/etc/totrain/database/login login:login;"
                      "/etc/totrain/database/ca.crt login:ca.crt;"
                      "/etc/totrain/database/tls.crt login:tls.crt;"
                      "/etc/totrain/database/tls.key login:tls.key;"
                      "/etc/totrain/tls/ca.crt iris-master:ca.crt;"
                      "/etc/totrain/tls/tls.crt iris-master:tls.crt;"
                      "/etc/totrain/tls/tls.key iris-master:tls.key;"
                      "/etc/totrain/job/cluster.json iris-job:cluster.json;");
    cJSON_Delete(job);
}

static void a_worker_would_rather_not_be_where_others_were_lost(void **state)
{
    const struct slice nodes[] = {SLICE("node-1"), SLICE("node-9")};
    struct kube_member worker = {
        .memory = 1 << 30, .master = SLICE("tcp:10.0.0.1:7"), .avoided = nodes, .avoided_count = 2};
    cJSON *pod = manifest_member(&iris, &worker, SLICE("uid-1"));
    const cJSON *preferred = API_MEMBER(pod, "spec", "affinity", "nodeAffinity",
                                        "preferredDuringSchedulingIgnoredDuringExecution");
    const cJSON *fields;
    (void)state;

    CHECK_INT(cJSON_GetArraySize(preferred), 2);
    fields = API_MEMBER(cJSON_GetArrayItem(preferred, 1), "preference", "matchFields");
    CHECK_SLICE(API_TEXT(cJSON_GetArrayItem(fields, 0), "operator"), "NotIn");
    CHECK_SLICE(
        api_text(cJSON_GetArrayItem(API_MEMBER(cJSON_GetArrayItem(fields, 0), "values"), 0)),
        "node-9");
    CHECK(!API_MEMBER(pod, "spec", "topologySpreadConstraints"));
    cJSON_Delete(pod);
    worker.avoided_count = 0;
    pod = manifest_member(&iris, &worker, SLICE("uid-1"));
    CHECK(!API_MEMBER(pod, "spec", "affinity"));
    CHECK_SLICE(
        API_TEXT(cJSON_GetArrayItem(API_MEMBER(pod, "spec", "topologySpreadConstraints"), 0),
                 "labelSelector", "matchLabels", "totrain.dev/job"),
        "iris");
    cJSON_Delete(pod);
}

static void a_worker_has_no_token_and_no_files_but_its_own(void **state)
{
    struct kube_member worker = {.index = 299,
                                 .incarnation = 7,
                                 .memory = (int64_t)1 << 30,
                                 .master = SLICE("tcp:10.0.0.1:7")};
    cJSON *pod = manifest_member(&iris, &worker, SLICE("uid-1"));
    const cJSON *spec = API_MEMBER(pod, "spec"), *container = container_of(spec);
    const cJSON *owner = cJSON_GetArrayItem(API_MEMBER(pod, "metadata", "ownerReferences"), 0);
    (void)state;

    CHECK_SLICE(API_TEXT(pod, "metadata", "name"), "iris-worker-299-7");
    CHECK_SLICE(label_of(pod, "totrain.dev/index"), "299");
    CHECK_SLICE(label_of(pod, "totrain.dev/incarnation"), "7");
    CHECK_SLICE(API_TEXT(owner, "uid"), "uid-1");
    CHECK_SLICE(API_TEXT(owner, "kind"), "Job");
    CHECK_SLICE(API_TEXT(owner, "name"), "iris");
    CHECK(!API_MEMBER(owner, "controller")); /* the Job's controller would release it */
    CHECK(cJSON_IsFalse(API_MEMBER(spec, "automountServiceAccountToken")));
    CHECK_SLICE(API_TEXT(spec, "restartPolicy"), "Never");
    check_restricted(spec);
    CHECK_SLICE(argument_after(container, "worker"), "/var/lib/totrain/jobs/7");
    CHECK_SLICE(argument_after(container, "--database"), "/etc/totrain/database/login");
    CHECK_SLICE(argument_after(container, "--index"), "299");
    CHECK_SLICE(argument_after(container, "--incarnation"), "7");
    CHECK_SLICE(argument_after(container, "--master"), "tcp:10.0.0.1:7");
    CHECK_SLICE(argument_after(container, "--snapshot"), "00000003-0000001B-1");
    CHECK_SLICE(API_TEXT(container, "resources", "limits", "memory"), "1024Mi");
    CHECK_SLICE(API_TEXT(container, "resources", "requests", "cpu"), "1500m");
    CHECK_SLICE(API_TEXT(container, "resources", "limits", "example.com/slot"), "1");
    check_files(spec, "/etc/totrain/database/login login:login;"
                      "/etc/totrain/database/ca.crt login:ca.crt;"
                      "/etc/totrain/database/tls.crt login:tls.crt;"
                      "/etc/totrain/database/tls.key login:tls.key;"
                      "/etc/totrain/tls/ca.crt iris-workers-1:ca.crt;"
                      "/etc/totrain/tls/tls.crt iris-workers-1:299.crt;"
                      "/etc/totrain/tls/tls.key iris-workers-1:299.key;");
    cJSON_Delete(pod);
}

static struct kube_job job_with_servers(uint32_t servers, uint64_t row_bytes)
{
    struct kube_job job = iris;

    kube_job_set_servers(&job, servers, row_bytes, 250);
    return job;
}

static void a_server_is_told_what_its_rows_may_take_of_its_memory(void **state)
{
    const struct kube_job job = job_with_servers(2, (uint64_t)100 << 20);
    struct kube_member server = {.role = KUBE_SERVER,
                                 .index = 1,
                                 .incarnation = 7,
                                 .memory = job.server_memory,
                                 .master = SLICE("tcp:10.0.0.1:7")};
    cJSON *pod = manifest_member(&job, &server, SLICE("uid-1"));
    const cJSON *spec = API_MEMBER(pod, "spec"), *container = container_of(spec);
    struct text selector;
    (void)state;

    CHECK_SLICE(API_TEXT(pod, "metadata", "name"), "iris-ps-1-7");
    CHECK_SLICE(label_of(pod, "totrain.dev/role"), "ps");
    CHECK_SLICE(label_of(pod, "totrain.dev/index"), "1");
    check_restricted(spec);
    CHECK_SLICE(argument_after(container, "ps"), "/var/lib/totrain/jobs/7");
    CHECK_SLICE(argument_after(container, "--index"), "1");
    CHECK_SLICE(argument_after(container, "--memory"), "104857600");
    CHECK_SLICE(argument_after(container, "--memory-moving"), "209715200");
    CHECK_SLICE(argument_after(container, "--cpus"), "1");
    CHECK_SLICE(argument_after(container, "--snapshot"), "");
    CHECK_SLICE(API_TEXT(container, "resources", "limits", "memory"), "264Mi");
    CHECK_SLICE(API_TEXT(container, "resources", "requests", "cpu"), "250m");
    CHECK(!API_MEMBER(container, "resources", "limits", "example.com/slot"));
    CHECK_SLICE(
        API_TEXT(cJSON_GetArrayItem(API_MEMBER(pod, "spec", "topologySpreadConstraints"), 0),
                 "labelSelector", "matchLabels", "totrain.dev/role"),
        "ps");
    check_files(spec, "/etc/totrain/database/login login:login;"
                      "/etc/totrain/database/ca.crt login:ca.crt;"
                      "/etc/totrain/database/tls.crt login:tls.crt;"
                      "/etc/totrain/database/tls.key login:tls.key;"
                      "/etc/totrain/tls/ca.crt iris-ps-0:ca.crt;"
                      "/etc/totrain/tls/tls.crt iris-ps-0:1.crt;"
                      "/etc/totrain/tls/tls.key iris-ps-0:1.key;");
    cJSON_Delete(pod);
    server.is_full = true;
    pod = manifest_member(&job, &server, SLICE("uid-1"));
    container = container_of(API_MEMBER(pod, "spec"));
    CHECK_SLICE(argument_after(container, "--memory"), "209715200");
    CHECK_SLICE(API_TEXT(container, "resources", "limits", "memory"), "264Mi");
    cJSON_Delete(pod);
    text_init(&selector, 256);
    manifest_member_selector(&job, &selector);
    CHECK_SLICE(text_slice(&selector), "totrain.dev/job=iris,totrain.dev/index");
    text_deinit(&selector);
}

static void check_class(struct slice class, bool is_surplus, const char *expected)
{
    const struct kube_member worker = {
        .is_surplus = is_surplus, .master = {"m", 1}, .memory = 1 << 26};
    struct kube_job job = iris;
    cJSON *pod;

    job.priority_class = class;
    pod = manifest_member(&job, &worker, SLICE("uid-1"));
    CHECK_SLICE(API_TEXT(pod, "spec", "priorityClassName"), expected);
    CHECK_SLICE(
        API_TEXT(pod, "metadata", "annotations", "cluster-autoscaler.kubernetes.io/safe-to-evict"),
        "true");
    cJSON_Delete(pod);
}

static void workers_that_a_job_can_do_without_have_a_class_of_their_own(void **state)
{
    struct kube_job job = iris;
    (void)state;

    check_class(SLICE("totrain-first"), false, "totrain-first");
    check_class(SLICE("totrain-first"), true, "totrain-more");
    check_class(SLICE("totrain-first-high"), true, "totrain-more-high");
    check_class(SLICE("batch"), true, "batch");
    job.priority_class = SLICE("totrain-first-low");
    CHECK_INT(kube_job_use(&job).band, -1);
    CHECK_INT(kube_job_use(&iris).band, 0);
}

static void a_servers_pod_has_more_than_its_rows(void **state)
{
    struct kube_job job = job_with_servers(2, 0);
    struct error err;
    (void)state;

    CHECK_OK(kube_job_check(&job, &err));
    CHECK_INT(job.server_memory, KUBE_JOB_MEMORY);
    CHECK_INT(kube_job_server_rows(job.server_memory), 480 << 20);
    job = job_with_servers(2, (uint64_t)16 << 20);
    CHECK_OK(kube_job_check(&job, &err));
    CHECK_INT(job.server_memory, 96 << 20);
    CHECK_INT(job.server_memory_max, 384 << 20);
    job = job_with_servers(2, UINT64_MAX);
    CHECK_FAILS(kube_job_check(&job, &err), STATUS_INVALID, "at most 1024Ti");
    job = job_with_servers(MANIFEST_SERVERS_MAX + 1, 0);
    CHECK_FAILS(kube_job_check(&job, &err), STATUS_INVALID, "at most 64 parameter servers");
    job = job_with_servers(3, 0);
    job.servers_max = 2;
    CHECK_FAILS(kube_job_check(&job, &err), STATUS_INVALID, "from the 3 of the beginning to 64");
    job = job_with_servers(2, 0);
    job.server_cpu_m = 0;
    CHECK_FAILS(kube_job_check(&job, &err), STATUS_INVALID, "1m to 1000 processors");
    job = job_with_servers(2, 0);
    job.server_memory_max = job.server_memory - 1;
    CHECK_FAILS(kube_job_check(&job, &err), STATUS_INVALID,
                "the most memory of a parameter server");
    job = job_with_servers(0, 1);
    CHECK_INT(job.server_memory, 0);
}

static void names_of_the_longest_job_are_labels(void **state)
{
    struct kube_job job = iris;
    struct kube_member worker = {.index = MANIFEST_WORKERS_MAX - 1, .incarnation = UINT32_MAX};
    struct error err;
    cJSON *pod;
    (void)state;

    job.name = SLICE("abcdefghijabcdefghijabcdefghijabcdefghij");
    CHECK_OK(kube_job_check(&job, &err));
    pod = manifest_member(&job, &worker, SLICE(""));
    CHECK(API_TEXT(pod, "metadata", "name").size <= 63);
    CHECK(!API_MEMBER(pod, "metadata", "ownerReferences"));
    cJSON_Delete(pod);
}

/* kubectl drain refuses pods without a controller, and pods with an emptyDir. */
static void a_drain_may_take_every_pod(void **state)
{
    const struct kube_member worker = {
        .master = {"m", 1}, .memory = 1 << 26, .controller = SLICE("uid-2")};
    cJSON *pod = manifest_member(&iris, &worker, SLICE("uid-1")), *job = manifest_job(&iris);
    const cJSON *owners = API_MEMBER(pod, "metadata", "ownerReferences"), *volume;
    cJSON *patch = manifest_release(&iris, SLICE("uid-2"));
    (void)state;

    CHECK_INT(cJSON_GetArraySize(owners), 2);
    CHECK_SLICE(API_TEXT(cJSON_GetArrayItem(owners, 0), "kind"), "Job");
    CHECK(!API_MEMBER(cJSON_GetArrayItem(owners, 0), "controller"));
    CHECK_SLICE(API_TEXT(cJSON_GetArrayItem(owners, 1), "kind"), "Secret");
    CHECK_SLICE(API_TEXT(cJSON_GetArrayItem(owners, 1), "name"), "iris-job");
    CHECK_SLICE(API_TEXT(cJSON_GetArrayItem(owners, 1), "uid"), "uid-2");
    CHECK(cJSON_IsTrue(API_MEMBER(cJSON_GetArrayItem(owners, 1), "controller")));
    cJSON_ArrayForEach(volume, API_MEMBER(pod, "spec", "volumes"))
        CHECK(!API_MEMBER(volume, "emptyDir"));
    cJSON_ArrayForEach(volume, API_MEMBER(job, "spec", "template", "spec", "volumes"))
        CHECK(!API_MEMBER(volume, "emptyDir"));
    CHECK(cJSON_IsFalse(API_MEMBER(patch, "spec", "suspend")));
    CHECK_SLICE(
        API_TEXT(patch, "spec", "template", "metadata", "annotations", "totrain.dev/controller"),
        "uid-2");
    CHECK_SLICE(
        api_text(API_MEMBER(
            cJSON_GetArrayItem(
                API_MEMBER(container_of(API_MEMBER(job, "spec", "template", "spec")), "env"), 2),
            "valueFrom", "fieldRef", "fieldPath")),
        "metadata.annotations['totrain.dev/controller']");
    cJSON_Delete(patch);
    cJSON_Delete(job);
    cJSON_Delete(pod);
}

/* ----- profiles ----- */

static const char profiles[] =
    "{\"plain\":{},\"night\":{\"namespace\":\"team-a\",\"database_secret\":\"shop\",\"resource\":"
    "\"example.com/gpu\",\"priority\":\"totrain-first-low\",\"keep_seconds\":5,"
    "\"deadline_seconds\":7200,\"cpu_limit\":150,\"master_cpu\":\"200m\",\"master_memory\":"
    "\"512Mi\",\"read_only_root\":true,\"node_selector\":{\"pool\":\"spot\"},\"labels\":{\"team\":"
    "\"a\",\"applicationId\":\"{job}-{job}\",\"app.kubernetes.io/name\":\"mine\"},\"annotations\":"
    "{\"cost\":\"7\"},\"affinity\":{\"nodeAffinity\":{\"preferredDuringSchedulingIgnoredDuring"
    "Execution\":[{\"weight\":1}]}},\"tolerations\":[{\"key\":\"gpu\",\"operator\":\"Exists\"}],"
    "\"pull_secrets\":[\"registry\"],\"runtime_class\":\"nvidia\",\"scheduler\":\"volcano\","
    "\"queue\":\"team-a\"}}";

static struct kube_job job_of_profile(const char *name, struct arena *arena)
{
    struct kube_job job = iris;
    struct error err;

    arena_init(arena, 1 << 20);
    CHECK_OK(profile_read(slice_of(profiles), slice_of(name), arena, &job, &err));
    CHECK_OK(kube_job_check(&job, &err));
    return job;
}

static void check_placed(const cJSON *metadata, const cJSON *spec)
{
    CHECK_SLICE(API_TEXT(metadata, "labels", "team"), "a");
    CHECK_SLICE(API_TEXT(metadata, "labels", "applicationId"), "iris-iris");
    CHECK_SLICE(API_TEXT(metadata, "labels", "app.kubernetes.io/name"), "totrain");
    CHECK_SLICE(API_TEXT(metadata, "annotations", "cost"), "7");
    CHECK_SLICE(API_TEXT(spec, "nodeSelector", "pool"), "spot");
    CHECK_SLICE(API_TEXT(spec, "runtimeClassName"), "nvidia");
    CHECK_SLICE(API_TEXT(spec, "schedulerName"), "volcano");
    CHECK_SLICE(API_TEXT(cJSON_GetArrayItem(API_MEMBER(spec, "imagePullSecrets"), 0), "name"),
                "registry");
    CHECK(
        cJSON_IsTrue(API_MEMBER(container_of(spec), "securityContext", "readOnlyRootFilesystem")));
    CHECK(API_MEMBER(cJSON_GetArrayItem(API_MEMBER(spec, "volumes"), 0), "emptyDir"));
}

static void a_profile_says_where_the_master_runs_and_who_releases_the_job(void **state)
{
    struct arena arena;
    struct kube_job job = job_of_profile("night", &arena);
    cJSON *object = manifest_job(&job), *patch = manifest_release(&job, SLICE("uid-2"));
    const cJSON *template = API_MEMBER(object, "spec", "template"), *requests;
    (void)state;

    CHECK_SLICE(API_TEXT(object, "metadata", "namespace"), "team-a");
    CHECK_SLICE(label_of(object, "team"), "a");
    CHECK_SLICE(label_of(object, PLACEMENT_QUEUE), "");
    CHECK_SLICE(slice_of(API_MEMBER(object, "spec", "activeDeadlineSeconds")->valuestring), "7200");
    CHECK_INT(job.keep_s, 5);
    CHECK_SLICE(job.database_secret, "shop");
    CHECK_SLICE(job.slot_resource, "example.com/gpu");
    CHECK_INT(kube_job_band(&job), -1);
    check_placed(API_MEMBER(template, "metadata"), API_MEMBER(template, "spec"));
    CHECK_INT(cJSON_GetArraySize(API_MEMBER(template, "spec", "tolerations")), 3);
    requests = API_MEMBER(container_of(API_MEMBER(template, "spec")), "resources", "requests");
    CHECK_SLICE(API_TEXT(requests, "cpu"), "200m");
    CHECK_SLICE(API_TEXT(requests, "memory"), "512Mi");
    CHECK_INT(kube_job_use(&job).rest.millis, 200);
    CHECK_INT(kube_job_use(&job).rest.bytes, 512 << 20);
    CHECK(!API_MEMBER(patch, "spec", "suspend"));
    CHECK_SLICE(label_of(patch, PLACEMENT_QUEUE), "team-a");
    cJSON_Delete(patch);
    cJSON_Delete(object);
    arena_deinit(&arena);
}

static void a_profile_says_where_workers_run_besides_the_nodes_to_avoid(void **state)
{
    struct arena arena;
    struct kube_job job = job_of_profile("night", &arena);
    const struct slice node = SLICE("node-1");
    const struct kube_member worker = {
        .master = {"m", 1}, .memory = 1 << 26, .avoided = &node, .avoided_count = 1};
    cJSON *pod = manifest_member(&job, &worker, SLICE("uid-1"));
    const cJSON *spec = API_MEMBER(pod, "spec");
    (void)state;

    check_placed(API_MEMBER(pod, "metadata"), spec);
    CHECK_SLICE(label_of(pod, PLACEMENT_QUEUE), "team-a");
    CHECK_INT(cJSON_GetArraySize(API_MEMBER(spec, "affinity")), 1);
    CHECK_INT(cJSON_GetArraySize(API_MEMBER(spec, "affinity", "nodeAffinity",
                                            "preferredDuringSchedulingIgnoredDuringExecution")),
              2);
    CHECK_INT(cJSON_GetArraySize(API_MEMBER(spec, "tolerations")), 1);
    CHECK_SLICE(API_TEXT(container_of(spec), "resources", "limits", "cpu"), "2250m");
    cJSON_Delete(pod);
    arena_deinit(&arena);
}

static void a_profile_goes_with_the_job(void **state)
{
    struct arena arena;
    struct kube_job job = job_of_profile("night", &arena), again = iris;
    struct error err;
    struct text text;
    (void)state;

    text_init(&text, 1 << 16);
    CHECK_OK(kube_job_write(&job, &text, &err));
    CHECK_OK(kube_job_read(text_slice(&text), &arena, &again, &err));
    CHECK(slice_equal(again.pods, job.pods));
    CHECK_INT(again.deadline_s, 7200);
    CHECK_INT(again.master_cpu_m, 200);
    CHECK_INT(again.master_memory, 512 << 20);
    CHECK(again.has_read_only_root);
    text_clear(&text);
    again = iris;
    CHECK_OK(profile_write(&job, &text, &err));
    CHECK_OK(profile_read(text_slice(&text), SLICE(PROFILE_OF_RUN), &arena, &again, &err));
    CHECK(slice_equal(again.pods, job.pods));
    CHECK_INT(again.deadline_s, 7200);
    CHECK_INT(again.master_cpu_m, 200);
    CHECK_INT(again.master_memory, 512 << 20);
    CHECK(again.has_read_only_root);
    CHECK(profile_is_there(&again));
    arena_deinit(&arena);
    job = job_of_profile("plain", &arena);
    CHECK(!profile_is_there(&job));
    job.has_read_only_root = true;
    text_clear(&text);
    CHECK_OK(profile_write(&job, &text, &err));
    again = iris;
    CHECK_OK(profile_read(text_slice(&text), SLICE(PROFILE_OF_RUN), &arena, &again, &err));
    CHECK(again.has_read_only_root && again.pods.size == 0);
    text_deinit(&text);
    arena_deinit(&arena);
}

static void what_is_wrong_in_a_profile_is_named(void **state)
{
    static const struct {
        const char *file;
        enum status status;
        const char *message;
    } cases[] = {
        {"{\"a\":{\"node_selectr\":{}}}", STATUS_INVALID,
         "profile a: a profile has no member \"node_selectr\""},
        {"{\"a\":{\"zzzzzzzzzzzzz\":1}}", STATUS_INVALID, "a profile has no member"},
        {"{\"b\":{}}", STATUS_INVALID, "has no profile named \"a\""},
        {"{}", STATUS_INVALID, "has no profile named \"a\""},
        {"[]", STATUS_INVALID, "has no profile named \"a\""},
        {"{", STATUS_CORRUPT, "JSON"},
        {"{\"a\":7}", STATUS_INVALID, "a profile is an object"},
        {"{\"a\":{\"namespace\":\"\"}}", STATUS_INVALID, "\"namespace\" is a text"},
        {"{\"a\":{\"namespace\":7}}", STATUS_INVALID, "\"namespace\" is a text"},
        {"{\"a\":{\"keep_seconds\":-1}}", STATUS_INVALID, "from 0 to"},
        {"{\"a\":{\"deadline_seconds\":0}}", STATUS_INVALID, "from 1 to"},
        {"{\"a\":{\"deadline_seconds\":1.5}}", STATUS_INVALID, "a whole number"},
        {"{\"a\":{\"deadline_seconds\":\"1\"}}", STATUS_INVALID, "a whole number"},
        {"{\"a\":{\"cpu_limit\":99}}", STATUS_INVALID, "from 100 to"},
        {"{\"a\":{\"master_cpu\":2}}", STATUS_INVALID, "\"master_cpu\" is processors"},
        {"{\"a\":{\"master_cpu\":\"x\"}}", STATUS_INVALID, "not \"x\""},
        {"{\"a\":{\"master_memory\":\"1\"}}", STATUS_INVALID, "from 16Mi"},
        {"{\"a\":{\"read_only_root\":1}}", STATUS_INVALID, "true or false"},
        {"{\"a\":{\"labels\":[]}}", STATUS_INVALID, "an object of texts"},
        {"{\"a\":{\"labels\":{\"b\":1}}}", STATUS_INVALID, "an object of texts"},
        {"{\"a\":{\"labels\":{\"totrain.dev/job\":\"x\"}}}", STATUS_INVALID, "the program's own"},
        {"{\"a\":{\"affinity\":[]}}", STATUS_INVALID, "\"affinity\" is an object"},
        {"{\"a\":{\"tolerations\":{}}}", STATUS_INVALID, "an array of objects"},
        {"{\"a\":{\"tolerations\":[1]}}", STATUS_INVALID, "an array of objects"},
        {"{\"a\":{\"pull_secrets\":[\"A\"]}}", STATUS_INVALID, "an array of names"},
        {"{\"a\":{\"runtime_class\":\"A b\"}}", STATUS_INVALID, "a name of a-z"},
        {"{\"a\":{\"queue\":7}}", STATUS_INVALID, "a name of a-z"},
    };
    struct kube_job job = iris;
    struct arena arena;
    struct error err;
    (void)state;

    arena_init(&arena, 1 << 16);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_FAILS(profile_read(slice_of(cases[i].file), SLICE("a"), &arena, &job, &err),
                    cases[i].status, cases[i].message);
    CHECK_FAILS(profile_load(SLICE("night"), &arena, &job, &err), STATUS_INVALID, "NAME@FILE");
    CHECK_FAILS(profile_load(SLICE("night@/nonexistent"), &arena, &job, &err), STATUS_NOT_FOUND,
                "/nonexistent");
    CHECK_FAILS(profile_check_pods(SLICE("{\"namespace\":\"a\"}"), &err), STATUS_INVALID,
                "no member");
    CHECK_FAILS(profile_check_pods(SLICE("{\"labels\":1}"), &err), STATUS_INVALID, "labels");
    CHECK_FAILS(profile_check_pods(SLICE("[]"), &err), STATUS_INVALID, "is an object");
    CHECK_FAILS(profile_check_pods(SLICE("[1]"), &err), STATUS_INVALID, "is an object");
    CHECK_FAILS(profile_check_pods(SLICE("{"), &err), STATUS_CORRUPT, "JSON");
    job.master_cpu_m = -1;
    CHECK_FAILS(kube_job_check(&job, &err), STATUS_INVALID, "a master has 1m");
    job.master_cpu_m = 0, job.master_memory = 1;
    CHECK_FAILS(kube_job_check(&job, &err), STATUS_INVALID, "a master has 16Mi");
    job.master_memory = 0, job.deadline_s = -1;
    CHECK_FAILS(kube_job_check(&job, &err), STATUS_INVALID, "a job's deadline");
    job.deadline_s = 0, job.pods = SLICE("{\"queue\":1}");
    CHECK_FAILS(kube_job_check(&job, &err), STATUS_INVALID, "queue");
    arena_deinit(&arena);
}

static void secrets_hold_credentials_as_base64_of_whom_they_belong_to(void **state)
{
    static struct manifest_credentials credentials[MANIFEST_WORKERS_PER_SECRET];
    struct kube_job job;
    cJSON *secret;
    (void)state;

    for (int i = 0; i < MANIFEST_WORKERS_PER_SECRET; i++)
        credentials[i] =
            (struct manifest_credentials){SLICE("hello"), SLICE("certificate"), SLICE("key")};
    secret = manifest_members_secret(&iris, KUBE_WORKER, 1, credentials, SLICE("uid-1"));
    CHECK_SLICE(API_TEXT(secret, "metadata", "name"), "iris-workers-1");
    CHECK_SLICE(API_TEXT(secret, "data", "ca.crt"), "aGVsbG8=");
    CHECK_SLICE(API_TEXT(secret, "data", "299.key"), "a2V5");
    CHECK(!API_MEMBER(secret, "data", "300.key"));
    CHECK(!API_MEMBER(secret, "data", "255.key"));
    CHECK(API_MEMBER(secret, "metadata", "ownerReferences"));
    cJSON_Delete(secret);
    job = job_with_servers(2, 0);
    CHECK_INT(manifest_member_secrets(&iris, KUBE_WORKER), 2);
    CHECK_INT(manifest_member_secrets(&iris, KUBE_SERVER), 0);
    CHECK_INT(manifest_member_secrets(&job, KUBE_SERVER), 1);
    secret = manifest_members_secret(&job, KUBE_SERVER, 0, credentials, SLICE("uid-1"));
    CHECK_SLICE(API_TEXT(secret, "metadata", "name"), "iris-ps-0");
    CHECK_SLICE(API_TEXT(secret, "data", "1.key"), "a2V5"); /* one for each possible server */
    CHECK_SLICE(API_TEXT(secret, "data", "63.key"), "a2V5");
    CHECK(!API_MEMBER(secret, "data", "64.key"));
    cJSON_Delete(secret);
    secret = manifest_master_secret(&iris, credentials, SLICE("uid-1"));
    CHECK_SLICE(API_TEXT(secret, "type"), "kubernetes.io/tls");
    CHECK_SLICE(API_TEXT(secret, "data", "tls.key"), "a2V5");
    cJSON_Delete(secret);
}

/* Faults of a job, and the member that is named. */
static void a_job_that_the_api_would_refuse_is_refused_here(void **state)
{
    static const struct {
        size_t member;
        const char *value, *problem;
    } wrong[] = {
        {offsetof(struct kube_job, name), "Iris", "the job's name"},
        {offsetof(struct kube_job, name), "", "the job's name"},
        {offsetof(struct kube_job, name), "a.b", "the job's name"},
        {offsetof(struct kube_job, name), "-a", "the job's name"},
        {offsetof(struct kube_job, name), "abcdefghijabcdefghijabcdefghijabcdefghijk",
         "the job's name"},
        {offsetof(struct kube_job, kube_namespace), "a/b", "the namespace"},
        {offsetof(struct kube_job, image), "", "the image"},
        {offsetof(struct kube_job, image), "a b", "the image"},
        {offsetof(struct kube_job, pull_policy), "Sometimes", "the pull policy"},
        {offsetof(struct kube_job, service_account), "", "the service account"},
        {offsetof(struct kube_job, priority_class), "A", "the priority class"},
        {offsetof(struct kube_job, database_secret), "a/b", "the database's Secret"},
        {offsetof(struct kube_job, slot_resource), "cpu", "the resource"},
        {offsetof(struct kube_job, schema), "a\nb", "the schema"},
        {offsetof(struct kube_job, snapshot), "--tls", "a snapshot"},
        {offsetof(struct kube_job, snapshot), "../../x", "a snapshot"},
        {offsetof(struct kube_job, schema), "--tls", "the schema"},
    };
    struct error err;
    (void)state;

    CHECK_OK(kube_job_check(&iris, &err));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct kube_job job = iris;

        *(struct slice *)(void *)((char *)&job + wrong[i].member) = slice_of(wrong[i].value);
        CHECK_FAILS(kube_job_check(&job, &err), STATUS_INVALID, wrong[i].problem);
    }
}

static void numbers_beyond_their_limits_are_refused(void **state)
{
    static const struct {
        size_t member;
        int64_t value;
        const char *problem;
    } wrong[] = {
        {offsetof(struct kube_job, job), -1, "a job's number"},
        {offsetof(struct kube_job, cpu_m), 0, "1m to 1000"},
        {offsetof(struct kube_job, memory), 1000, "16Mi"},
        {offsetof(struct kube_job, memory_max), (int64_t)256 << 20, "the most memory"},
        {offsetof(struct kube_job, keep_s), -1, "a finished job"},
    };
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct kube_job job = iris;

        *(int64_t *)(void *)((char *)&job + wrong[i].member) = wrong[i].value;
        CHECK_FAILS(kube_job_check(&job, &err), STATUS_INVALID, wrong[i].problem);
    }
}

static void every_object_says_whose_job_it_is(void **state)
{
    const struct kube_member worker = {.role = KUBE_WORKER, .master = {"m", 1}, .memory = 1 << 26};
    struct kube_job job = iris;
    struct text json;
    struct kube_job read;
    struct arena arena;
    struct error err;
    cJSON *made, *pod;
    (void)state;

    error_clear(&err);
    arena_init(&arena, 1 << 16);
    text_init(&json, KUBE_JOB_BYTES_MAX);
    job.statement = SLICE("TRAIN");
    job.model = SLICE("iris_model");
    job.database = SLICE("shop \"north\"");
    job.user = SLICE("Ana M\xc3\xbcller");
    CHECK_OK(kube_job_write(&job, &json, &err));
    CHECK_OK(kube_job_read(text_slice(&json), &arena, &read, &err));
    made = manifest_job(&read);
    pod = manifest_member(&read, &worker, SLICE("uid"));
    for (int i = 0; i < 3; i++) {
        const cJSON *object = i == 0 ? made : i == 1 ? pod : API_MEMBER(made, "spec", "template");

        CHECK_SLICE(label_of(object, "totrain.dev/model"), "iris_model");
        CHECK_SLICE(label_of(object, "totrain.dev/statement"), "TRAIN");
        CHECK_SLICE(label_of(object, "totrain.dev/user"), ""); /* the API takes no such label */
        CHECK_SLICE(API_TEXT(object, "metadata", "annotations", "totrain.dev/user"),
                    "Ana M\xc3\xbcller");
        CHECK_SLICE(API_TEXT(object, "metadata", "annotations", "totrain.dev/database"),
                    "shop \"north\"");
        CHECK_SLICE(API_TEXT(object, "metadata", "annotations", "totrain.dev/model"), "iris_model");
    }
    cJSON_Delete(made);
    cJSON_Delete(pod);
    text_deinit(&json);
    arena_deinit(&arena);
}

static void what_is_written_of_a_job_is_read_again(void **state)
{
    struct kube_job job;
    struct arena arena;
    struct text first, second;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&first, KUBE_JOB_BYTES_MAX);
    text_init(&second, KUBE_JOB_BYTES_MAX);
    CHECK_OK(kube_job_write(&iris, &first, &err));
    CHECK_OK(kube_job_read(text_slice(&first), &arena, &job, &err));
    CHECK_SLICE(job.database_secret, "login");
    CHECK(job.job == 7 && job.memory_max == (int64_t)2 << 30 && job.workers_max == 300);
    CHECK_OK(kube_job_write(&job, &second, &err));
    CHECK(slice_equal(text_slice(&first), text_slice(&second)));
    CHECK_FAILS(kube_job_read(SLICE("{\"name\":\"iris\"}"), &arena, &job, &err), STATUS_CORRUPT,
                "namespace");
    CHECK_FAILS(kube_job_read(SLICE("{"), &arena, &job, &err), STATUS_CORRUPT, "JSON");
    text_deinit(&first);
    text_deinit(&second);
    arena_deinit(&arena);
}

static void servers_of_a_job_are_read_again(void **state)
{
    const struct kube_job job = job_with_servers(3, (uint64_t)1 << 30);
    struct kube_job found;
    struct arena arena;
    struct text json;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&json, KUBE_JOB_BYTES_MAX);
    CHECK_OK(kube_job_write(&job, &json, &err));
    CHECK_OK(kube_job_read(text_slice(&json), &arena, &found, &err));
    CHECK(found.servers == 3 && found.servers_max == MANIFEST_SERVERS_MAX &&
          found.server_cpu_m == 250 && found.server_memory == job.server_memory &&
          found.server_memory_max == job.server_memory_max);
    text_deinit(&json);
    arena_deinit(&arena);
}

static void quantities_are_read_as_kubernetes_does(void **state)
{
    static const char *const cpus[] = {"", "2x", "0", "1.0005", "-1", "1e3", "2000"};
    static const char *const memories[] = {"", "1", "2GiB", "-1Gi", "1e9", "5000Ti"};
    struct error err;
    int64_t value;
    (void)state;

    CHECK_OK(quantity_read_cpu(SLICE("2"), &value, &err));
    CHECK_INT(value, 2000);
    CHECK_OK(quantity_read_cpu(SLICE("1.5"), &value, &err));
    CHECK_INT(value, 1500);
    CHECK_OK(quantity_read_cpu(SLICE("500m"), &value, &err));
    CHECK_INT(value, 500);
    CHECK_OK(quantity_read_memory(SLICE("2Gi"), &value, &err));
    CHECK(value == (int64_t)2 << 30);
    CHECK_OK(quantity_read_memory(SLICE("1.5G"), &value, &err));
    CHECK_INT(value, 1500000000);
    for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++)
        CHECK(quantity_read_cpu(slice_of(cpus[i]), &value, &err) == STATUS_INVALID);
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++)
        CHECK(quantity_read_memory(slice_of(memories[i]), &value, &err) == STATUS_INVALID);
}

static void a_review_asks_for_what_the_role_gives(void **state)
{
    static const struct right log = {API_PODS, "log", "get"};
    cJSON *review = rights_review(SLICE("training"), &log, SLICE("get"));
    const cJSON *attributes = API_MEMBER(review, "spec", "resourceAttributes");
    struct error err;
    bool is_allowed;
    cJSON *answer;
    (void)state;

    CHECK_SLICE(API_TEXT(attributes, "resource"), "pods");
    CHECK_SLICE(API_TEXT(attributes, "subresource"), "log");
    CHECK_SLICE(API_TEXT(attributes, "verb"), "get");
    CHECK_FAILS(rights_review_read(review, &is_allowed, &err), STATUS_PROTOCOL, "status.allowed");
    cJSON_Delete(review);
    CHECK_OK(json_parse(SLICE("{\"status\":{\"allowed\":true}}"), 100, &answer, &err));
    CHECK_OK(rights_review_read(answer, &is_allowed, &err));
    CHECK(is_allowed);
    cJSON_Delete(answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_job_is_suspended_and_its_master_has_a_token),
        cmocka_unit_test(a_worker_has_no_token_and_no_files_but_its_own),
        cmocka_unit_test(a_worker_would_rather_not_be_where_others_were_lost),
        cmocka_unit_test(a_server_is_told_what_its_rows_may_take_of_its_memory),
        cmocka_unit_test(workers_that_a_job_can_do_without_have_a_class_of_their_own),
        cmocka_unit_test(a_servers_pod_has_more_than_its_rows),
        cmocka_unit_test(servers_of_a_job_are_read_again),
        cmocka_unit_test(names_of_the_longest_job_are_labels),
        cmocka_unit_test(a_drain_may_take_every_pod),
        cmocka_unit_test(a_profile_says_where_the_master_runs_and_who_releases_the_job),
        cmocka_unit_test(a_profile_says_where_workers_run_besides_the_nodes_to_avoid),
        cmocka_unit_test(a_profile_goes_with_the_job),
        cmocka_unit_test(what_is_wrong_in_a_profile_is_named),
        cmocka_unit_test(secrets_hold_credentials_as_base64_of_whom_they_belong_to),
        cmocka_unit_test(a_job_that_the_api_would_refuse_is_refused_here),
        cmocka_unit_test(numbers_beyond_their_limits_are_refused),
        cmocka_unit_test(every_object_says_whose_job_it_is),
        cmocka_unit_test(what_is_written_of_a_job_is_read_again),
        cmocka_unit_test(quantities_are_read_as_kubernetes_does),
        cmocka_unit_test(a_review_asks_for_what_the_role_gives),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
