#include "k8s/objects/manifest.h"

#include <stdio.h>
#include <string.h>

#include "k8s/job/kube_job_json.h"
#include "k8s/objects/manifest_metadata.h"
#include "k8s/objects/manifest_pod.h"
#include "k8s/objects/placement.h"
#include "runtime/share/share_report.h"

/* Names the run in a training that the pod of a schedule sends: the training goes with that pod.
 * Where the pod only died, the next run finds the Job by its label, and its tables by their
 * number. */
static void add_run(cJSON *metadata, const struct kube_job *job)
{
    char number[32];

    if (job->schedule.size == 0)
        return;
    snprintf(number, sizeof number, "%lld", (long long)job->job);
    json_add_string(cJSON_GetObjectItemCaseSensitive(metadata, "labels"), MANIFEST_SCHEDULE,
                    job->schedule);
    json_add_string(manifest_annotations(metadata), MANIFEST_TABLES, slice_of(number));
    manifest_add_owner(metadata, "v1", "Pod", job->owner_pod, job->owner_uid, false);
}

const char manifest_pod_address[] =
    "[{\"name\":\"POD_IP\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":\"status.podIP\"}}}]";
/* The Job's uid comes with a label that Kubernetes puts on its pods: it is not known when the
 * Job is written, and what the master makes is to be owned by it. That of its Secret is written
 * into the Job's template when the Job is released. */
static const char owner_uids[] =
    "[{\"name\":\"JOB_UID\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":"
    "\"metadata.labels['batch.kubernetes.io/controller-uid']\"}}},{\"name\":\"CONTROLLER_UID\","
    "\"valueFrom\":{\"fieldRef\":{\"fieldPath\":\"metadata.annotations['" MANIFEST_CONTROLLER
    "']\"}}}]";

/* The first of `from` become the last of `to`. */
static void append_all(cJSON *to, cJSON *from)
{
    while (from && from->child)
        json_append(to, cJSON_DetachItemViaPointer(from, from->child));
    cJSON_Delete(from);
}

/* Frozen, it is killed after 4 to 5 s, and 2 s more. While its loop waits for the database it
 * answers. */
static void add_probe(cJSON *container, cJSON *arguments)
{
    cJSON *probe = json_add_object(container, "livenessProbe"), *get;
    char text[64];

    snprintf(text, sizeof text, "tcp:$(POD_IP):%d", MANIFEST_HEALTH_PORT);
    manifest_add_argument(arguments, "--health");
    manifest_add_argument(arguments, text);
    get = json_add_object(probe, "httpGet");
    json_add_string(get, "path", SLICE("/healthz"));
    json_add_integer(get, "port", MANIFEST_HEALTH_PORT);
    json_add_integer(probe, "periodSeconds", 1);
    json_add_integer(probe, "timeoutSeconds", 1);
    json_add_integer(probe, "failureThreshold", 4);
    json_add_integer(probe, "initialDelaySeconds", 5);
    json_add_integer(probe, "terminationGracePeriodSeconds", 1);
}

static void add_master_files(const struct kube_job *job, cJSON *sources)
{
    char name[128];
    cJSON *items = manifest_add_source(sources, manifest_named(job, "-master", name), false);

    manifest_add_item(items, "ca.crt", "tls/ca.crt");
    manifest_add_item(items, "tls.crt", "tls/tls.crt");
    manifest_add_item(items, "tls.key", "tls/tls.key");
    items = manifest_add_source(sources, manifest_named(job, "-job", name), false);
    manifest_add_item(items, MANIFEST_JOB_KEY, "job/" MANIFEST_JOB_KEY);
}

static void fill_master(cJSON *spec, const struct kube_job *job)
{
    cJSON *container = manifest_begin_container(job, "master"), *volumes = cJSON_CreateArray();
    cJSON *arguments = manifest_add_role(container, job, "master"),
          *variables = manifest_literal(manifest_pod_address);

    /* The end of its log is seen in its pod's status, also when the log cannot be read. */
    json_add_string(container, "terminationMessagePolicy", SLICE("FallbackToLogsOnError"));
    /* In the same pod where only the process died: state and address stay. */
    manifest_begin_pod(spec, job, job->service_account, true, "OnFailure");
    manifest_add_tolerations(spec);
    manifest_add_argument(arguments, "--kubernetes");
    manifest_add_argument(arguments, SPEC_FOLDER "/" MANIFEST_JOB_KEY);
    add_probe(container, arguments);
    append_all(variables, manifest_literal(owner_uids));
    json_add(container, "env", variables);
    manifest_add_resources(container, job, kube_job_master_cpu_m(job), kube_job_master_memory(job),
                           SLICE(""));
    add_master_files(job, manifest_add_common(job, MANIFEST_MASTER_PORT, container, volumes));
    json_append(json_add_array(spec, "containers"), container);
    json_add(spec, "volumes", volumes);
}

/* A job is counted among those that share a cluster before its master runs. */
static void add_use(cJSON *metadata, const struct kube_job *job)
{
    const struct share_job use = kube_job_use(job);
    struct text text;
    struct error err;

    text_init(&text, SHARE_REPORT_BYTES_MAX);
    json_add(manifest_annotations(metadata), MANIFEST_USE,
             share_report_write(&use, &text, &err) == STATUS_OK ? json_string(text_slice(&text))
                                                                : NULL);
    text_deinit(&text);
}

cJSON *manifest_job(const struct kube_job *job)
{
    cJSON *metadata, *object = manifest_begin(job, API_JOBS, "", "master", &metadata);
    cJSON *spec = json_add_object(object, "spec"), *template;

    add_run(metadata, job);
    add_use(metadata, job);
    placement_of_object(job, metadata);
    json_add_boolean(spec, "suspend", true);
    json_add_integer(spec, "parallelism", 1);
    json_add_integer(spec, "completions", 1);
    json_add_integer(spec, "backoffLimit", MANIFEST_MASTER_TRIES);
    json_add_integer(spec, "ttlSecondsAfterFinished", job->keep_s);
    if (job->deadline_s > 0)
        json_add_integer(spec, "activeDeadlineSeconds", job->deadline_s);
    template = json_add_object(spec, "template");
    metadata = json_add_object(template, "metadata");
    manifest_add_labels(metadata, job, "master");
    manifest_allow_eviction(metadata);
    spec = json_add_object(template, "spec");
    fill_master(spec, job);
    placement_of_pod(job, false, metadata, spec);
    return object;
}

cJSON *manifest_release(const struct kube_job *job, struct slice controller)
{
    cJSON *patch = cJSON_CreateObject(), *metadata = json_add_object(patch, "metadata");
    cJSON *spec = json_add_object(patch, "spec");

    if (!placement_add_queue(job, metadata))
        json_add_boolean(spec, "suspend", false);
    metadata = json_add_object(json_add_object(spec, "template"), "metadata");
    json_add_string(json_add_object(metadata, "annotations"), MANIFEST_CONTROLLER, controller);
    return patch;
}

cJSON *manifest_job_secret(const struct kube_job *job, struct slice owner)
{
    cJSON *metadata, *object = manifest_begin(job, API_SECRETS, "-job", "master", &metadata), *data;
    struct error err;
    struct text text;

    text_init(&text, KUBE_JOB_BYTES_MAX);
    manifest_add_job_owner(metadata, job, owner);
    json_add_boolean(object, "immutable", true);
    json_add_string(object, "type", SLICE("Opaque"));
    data = json_add_object(object, "data");
    if (kube_job_write(job, &text, &err) == STATUS_OK)
        manifest_add_bytes(data, MANIFEST_JOB_KEY, text_slice(&text));
    else
        json_add(data, MANIFEST_JOB_KEY, NULL); /* json_print reports it */
    text_deinit(&text);
    return object;
}

cJSON *manifest_master_secret(const struct kube_job *job,
                              const struct manifest_credentials *credentials, struct slice owner)
{
    cJSON *metadata, *object = manifest_begin(job, API_SECRETS, "-master", "master", &metadata),
                     *data;

    manifest_add_job_owner(metadata, job, owner);
    json_add_boolean(object, "immutable", true);
    json_add_string(object, "type", SLICE("kubernetes.io/tls"));
    data = json_add_object(object, "data");
    manifest_add_bytes(data, "ca.crt", credentials->authority);
    manifest_add_bytes(data, "tls.crt", credentials->certificate);
    manifest_add_bytes(data, "tls.key", credentials->key);
    return object;
}

uint32_t manifest_members_most(const struct kube_job *job, enum kube_role role)
{
    return role == KUBE_SERVER ? job->servers_max : job->workers_max;
}

uint32_t manifest_member_secrets(const struct kube_job *job, enum kube_role role)
{
    return (manifest_members_most(job, role) + MANIFEST_WORKERS_PER_SECRET - 1) /
           MANIFEST_WORKERS_PER_SECRET;
}

void manifest_secret_suffix(enum kube_role role, uint32_t part, char suffix[64])
{
    snprintf(suffix, 64, "-%s-%u", role == KUBE_SERVER ? "ps" : "workers", part);
}

cJSON *manifest_members_secret(const struct kube_job *job, enum kube_role role, uint32_t part,
                               const struct manifest_credentials *credentials, struct slice owner)
{
    char name[64];
    cJSON *metadata, *object, *data;
    const uint32_t first = part * MANIFEST_WORKERS_PER_SECRET,
                   end = manifest_members_most(job, role);

    manifest_secret_suffix(role, part, name);
    object = manifest_begin(job, API_SECRETS, name, kube_role_name(role), &metadata);
    manifest_add_job_owner(metadata, job, owner);
    json_add_boolean(object, "immutable", true);
    json_add_string(object, "type", SLICE("Opaque"));
    data = json_add_object(object, "data");
    manifest_add_bytes(data, "ca.crt", credentials[0].authority);
    for (uint32_t i = 0; i < MANIFEST_WORKERS_PER_SECRET && first + i < end; i++) {
        snprintf(name, sizeof name, "%u.crt", first + i);
        manifest_add_bytes(data, name, credentials[i].certificate);
        snprintf(name, sizeof name, "%u.key", first + i);
        manifest_add_bytes(data, name, credentials[i].key);
    }
    return object;
}

cJSON *manifest_service(const struct kube_job *job, struct slice owner)
{
    cJSON *metadata, *object = manifest_begin(job, API_SERVICES, "-master", "master", &metadata);
    cJSON *spec = json_add_object(object, "spec"), *selector, *port;

    manifest_add_job_owner(metadata, job, owner);
    json_add_string(spec, "clusterIP", SLICE("None"));
    json_add_boolean(spec, "publishNotReadyAddresses", true);
    selector = json_add_object(spec, "selector");
    json_add_string(selector, "totrain.dev/job", job->name);
    json_add_string(selector, "totrain.dev/role", SLICE("master"));
    port = cJSON_CreateObject();
    json_add_string(port, "name", SLICE("master"));
    json_add_integer(port, "port", MANIFEST_MASTER_PORT);
    json_append(json_add_array(spec, "ports"), port);
    return object;
}

struct slice manifest_master_address(const struct kube_job *job, struct arena *arena)
{
    return arena_printf(arena, "tcp:%.*s-master.%.*s.svc:%d", SLICE_FORMAT(job->name),
                        SLICE_FORMAT(job->kube_namespace), MANIFEST_MASTER_PORT);
}
