#include "k8s/objects/manifest_pod.h"

#include <stdio.h>
#include <string.h>

#include "k8s/objects/manifest.h"
#include "k8s/objects/manifest_metadata.h"
#include "k8s/objects/placement.h"

static void add_memory(cJSON *object, const char *name, int64_t bytes)
{
    char quantity[32];

    if (bytes % (1 << 20) == 0)
        snprintf(quantity, sizeof quantity, "%lldMi", (long long)(bytes >> 20));
    else
        snprintf(quantity, sizeof quantity, "%lld", (long long)bytes);
    json_add_string(object, name, slice_of(quantity));
}

static void add_cpu(cJSON *object, const char *name, int64_t cpu_m)
{
    char quantity[32];

    if (cpu_m % 1000 == 0)
        snprintf(quantity, sizeof quantity, "%lld", (long long)(cpu_m / 1000));
    else
        snprintf(quantity, sizeof quantity, "%lldm", (long long)cpu_m);
    json_add_string(object, name, slice_of(quantity));
}

void manifest_add_resources(cJSON *container, const struct kube_job *job, int64_t cpu_m,
                            int64_t memory, struct slice slot)
{
    cJSON *resources = json_add_object(container, "resources");
    cJSON *requests = json_add_object(resources, "requests");
    cJSON *limits = json_add_object(resources, "limits");
    char name[256];

    add_cpu(requests, "cpu", cpu_m);
    add_memory(requests, "memory", memory);
    add_memory(limits, "memory", memory);
    if (job->cpu_limit_percent > 0)
        add_cpu(limits, "cpu", cpu_m * job->cpu_limit_percent / 100);
    if (slot.size == 0)
        return;
    snprintf(name, sizeof name, "%.*s", SLICE_FORMAT(slot));
    json_add_string(requests, name, SLICE("1"));
    json_add_string(limits, name, SLICE("1"));
}

void manifest_add_mount(cJSON *container, const char *name, const char *path, const char *file)
{
    cJSON *mounts = cJSON_GetObjectItemCaseSensitive(container, "volumeMounts");
    cJSON *mount = cJSON_CreateObject();

    json_add_string(mount, "name", slice_of(name));
    json_add_string(mount, "mountPath", slice_of(path));
    if (file)
        json_add_string(mount, "subPath", slice_of(file));
    json_add_boolean(mount, "readOnly", strcmp(name, "state") != 0 && strcmp(name, "tmp") != 0);
    json_append(mounts ? mounts : json_add_array(container, "volumeMounts"), mount);
}

cJSON *manifest_add_volume(cJSON *volumes, const char *name, struct slice secret)
{
    cJSON *volume = cJSON_CreateObject(), *source;

    json_add_string(volume, "name", slice_of(name));
    source = json_add_object(volume, "secret");
    json_add_string(source, "secretName", secret);
    json_add_integer(source, "defaultMode", 0440);
    json_append(volumes, volume);
    return source;
}

/* One volume for all that a pod has of Secrets, since each is a file system that the kubelet has
 * mounted, and unmounted, by a process of its own. Returns its sources. */
static cJSON *add_secrets(cJSON *container, cJSON *volumes)
{
    cJSON *volume = cJSON_CreateObject(), *projected;

    manifest_add_mount(container, "secrets", SECRET_FOLDER, NULL);
    json_add_string(volume, "name", SLICE("secrets"));
    projected = json_add_object(volume, "projected");
    json_add_integer(projected, "defaultMode", 0440); /* the same as in add_secret_volume */
    json_append(volumes, volume);
    return json_add_array(projected, "sources");
}

cJSON *manifest_add_source(cJSON *sources, struct slice secret, bool is_optional)
{
    cJSON *source = cJSON_CreateObject(), *projection = json_add_object(source, "secret");

    json_add_string(projection, "name", secret);
    if (is_optional)
        json_add_boolean(projection, "optional", true);
    json_append(sources, source);
    return json_add_array(projection, "items");
}

void manifest_add_item(cJSON *items, const char *key, const char *path)
{
    cJSON *item = cJSON_CreateObject();

    json_add_string(item, "key", slice_of(key));
    json_add_string(item, "path", slice_of(path));
    json_append(items, item);
}

cJSON *manifest_begin_container(const struct kube_job *job, const char *name)
{
    cJSON *container = cJSON_CreateObject(), *security;

    json_add_string(container, "name", slice_of(name));
    json_add_string(container, "image", job->image);
    json_add_string(container, "imagePullPolicy", job->pull_policy);
    security = json_add_object(container, "securityContext");
    json_add_boolean(security, "allowPrivilegeEscalation", false);
    json_add_boolean(security, "readOnlyRootFilesystem", job->has_read_only_root);
    json_add(security, "capabilities", manifest_literal("{\"drop\":[\"ALL\"]}"));
    return container;
}

void manifest_begin_pod(cJSON *spec, const struct kube_job *job, struct slice account,
                        bool has_token, const char *restarts)
{
    json_add_string(spec, "serviceAccountName", account);
    json_add_boolean(spec, "automountServiceAccountToken", has_token);
    json_add_boolean(spec, "enableServiceLinks", false);
    json_add_string(spec, "restartPolicy", slice_of(restarts));
    json_add_integer(spec, "terminationGracePeriodSeconds", MANIFEST_GRACE_S);
    if (job->priority_class.size > 0)
        json_add_string(spec, "priorityClassName", job->priority_class);
    json_add(
        spec, "securityContext",
        manifest_literal("{\"runAsNonRoot\":true,\"runAsUser\":65532,\"runAsGroup\":65532,"
                         "\"fsGroup\":65532,\"seccompProfile\":{\"type\":\"RuntimeDefault\"}}"));
}

void manifest_add_tolerations(cJSON *spec)
{
    static const char *const taints[] = {"node.kubernetes.io/not-ready",
                                         "node.kubernetes.io/unreachable"};
    cJSON *tolerations = json_add_array(spec, "tolerations");

    for (size_t i = 0; i < sizeof taints / sizeof *taints; i++) {
        cJSON *toleration = manifest_literal("{\"operator\":\"Exists\",\"effect\":\"NoExecute\"}");

        json_add_string(toleration, "key", slice_of(taints[i]));
        json_add_integer(toleration, "tolerationSeconds", MANIFEST_AWAY_S);
        json_append(tolerations, toleration);
    }
}

void manifest_add_folders(const struct kube_job *job, const char *state, cJSON *container,
                          cJSON *volumes)
{
    if (!job->has_read_only_root)
        return;
    manifest_add_mount(container, "state", state, NULL);
    manifest_add_mount(container, "tmp", "/tmp", NULL);
    json_append(volumes, manifest_literal("{\"name\":\"state\",\"emptyDir\":{}}"));
    json_append(volumes, manifest_literal("{\"name\":\"tmp\",\"emptyDir\":{}}"));
}

void manifest_add_argument(cJSON *arguments, const char *text)
{
    json_append(arguments, json_string(slice_of(text)));
}

/* The files that a connection string names are below LOGIN_FOLDER. Missing keys are optional: else
 * the kubelet blocks the pod silently, whereas the process reports which file it misses. */
static void add_login(const struct kube_job *job, cJSON *sources)
{
    static const char *const keys[] = {MANIFEST_LOGIN_KEYS};
    cJSON *items = manifest_add_source(sources, job->database_secret, true);
    char path[64];

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        snprintf(path, sizeof path, "database/%s", keys[i]);
        manifest_add_item(items, keys[i], path);
    }
}

cJSON *manifest_add_common(const struct kube_job *job, int port, cJSON *container, cJSON *volumes)
{
    cJSON *arguments = cJSON_GetObjectItemCaseSensitive(container, "args"), *sources;
    char text[64];

    snprintf(text, sizeof text, "tcp:$(POD_IP):%d", port);
    manifest_add_argument(arguments, "--listen");
    manifest_add_argument(arguments, text);
    manifest_add_argument(arguments, "--tls");
    manifest_add_argument(arguments, TLS_FOLDER);
    manifest_add_folders(job, JOBS_FOLDER, container, volumes);
    sources = add_secrets(container, volumes);
    if (job->database_secret.size == 0)
        return sources;
    manifest_add_argument(arguments, "--database");
    manifest_add_argument(arguments, LOGIN_FOLDER "/" MANIFEST_LOGIN_KEY);
    if (job->schema.size > 0) {
        manifest_add_argument(arguments, "--schema");
        json_append(arguments, json_string(job->schema));
    }
    add_login(job, sources);
    return sources;
}

cJSON *manifest_add_role(cJSON *container, const struct kube_job *job, const char *role)
{
    cJSON *arguments = json_add_array(container, "args");
    char text[64];

    manifest_add_argument(arguments, role);
    snprintf(text, sizeof text, JOBS_FOLDER "/%lld", (long long)job->job);
    manifest_add_argument(arguments, text);
    return arguments;
}
