#include "k8s/objects/manifest.h"

#include <stdio.h>
#include <string.h>

#include "k8s/client/base64.h"
#include "k8s/job/kube_job_json.h"
#include "k8s/job/profile.h"
#include "k8s/objects/placement.h"
#include "runtime/share/share_report.h"

#define STATE_FOLDER  "/var/lib/totrain"
#define JOBS_FOLDER   STATE_FOLDER "/jobs"
#define SECRET_FOLDER "/etc/totrain"
#define SPEC_FOLDER   SECRET_FOLDER "/job"
#define TLS_FOLDER    SECRET_FOLDER "/tls"
#define LOGIN_FOLDER  SECRET_FOLDER "/database"
#define STATEMENT_KEY "statement.sql"
#define PROFILE_KEY   "profiles.json"

/* The pod that submits by the clock. */
#define SUBMIT_MEMORY ((int64_t)512 << 20)
#define SUBMIT_TRIES  3
#define CATCH_UP_S    21600 /* a time that was missed, by a cluster that was down, counts so long */

/* Written as a person would read it. */
static cJSON *literal(const char *json)
{
    return cJSON_Parse(json);
}

static struct slice named(const struct kube_job *job, const char *suffix, char out[128])
{
    snprintf(out, 128, "%.*s%s", SLICE_FORMAT(job->name), suffix);
    return slice_of(out);
}

/* Another one, or a profile, may have made it. */
static cJSON *object_in(cJSON *object, const char *name)
{
    cJSON *there = cJSON_GetObjectItemCaseSensitive(object, name);

    return there ? there : json_add_object(object, name);
}

static cJSON *annotations_of(cJSON *metadata)
{
    return object_in(metadata, "annotations");
}

static bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool can_be_label(struct slice value)
{
    for (size_t i = 0; i < value.size; i++)
        if (!is_letter_or_digit(value.data[i]) && !memchr("-_.", value.data[i], 3))
            return false;
    return value.size > 0 && value.size <= 63 && is_letter_or_digit(value.data[0]) &&
           is_letter_or_digit(value.data[value.size - 1]);
}

/* Tells an administrator of the cluster, and accounts of costs, whose job it is: as labels, which
 * can be selected, where the names can be labels. */
static void add_origin(cJSON *metadata, cJSON *labels, const struct kube_job *job)
{
    const struct {
        const char *name;
        struct slice value;
    } origin[] = {{"totrain.dev/statement", job->statement},
                  {"totrain.dev/model", job->model},
                  {"totrain.dev/database", job->database},
                  {"totrain.dev/user", job->user}};

    for (size_t i = 0; i < sizeof origin / sizeof *origin; i++) {
        if (can_be_label(origin[i].value))
            json_add_string(labels, origin[i].name, origin[i].value);
        if (origin[i].value.size > 0)
            json_add_string(annotations_of(metadata), origin[i].name, origin[i].value);
    }
}

/* The cluster autoscaler keeps a node that has a pod whose controller it does not know, unless the
 * pod says so: what a job loses with it is made again, and no row is lost. */
static void allow_eviction(cJSON *metadata)
{
    json_add_string(annotations_of(metadata), "cluster-autoscaler.kubernetes.io/safe-to-evict",
                    SLICE("true"));
}

static void add_labels(cJSON *metadata, const struct kube_job *job, const char *component)
{
    cJSON *labels = json_add_object(metadata, "labels");

    json_add_string(labels, "app.kubernetes.io/name", SLICE("totrain"));
    json_add_string(labels, "app.kubernetes.io/instance", job->name);
    json_add_string(labels, "app.kubernetes.io/component", slice_of(component));
    json_add_string(labels, "app.kubernetes.io/managed-by", SLICE("totrain"));
    json_add_string(labels, "app.kubernetes.io/version", SLICE(TOTRAIN_VERSION));
    json_add_string(labels, "totrain.dev/job", job->name);
    json_add_string(labels, "totrain.dev/role", slice_of(component));
    add_origin(metadata, labels, job);
}

static cJSON *begin_object(const struct kube_job *job, enum api_kind kind, const char *suffix,
                           const char *component, cJSON **metadata)
{
    const struct api_names *names = api_names(kind);
    cJSON *object = cJSON_CreateObject();
    char version[64], name[128];

    snprintf(version, sizeof version, "%s%s%s", names->group, *names->group ? "/" : "",
             names->version);
    json_add_string(object, "apiVersion", slice_of(version));
    json_add_string(object, "kind", slice_of(names->kind));
    *metadata = json_add_object(object, "metadata");
    json_add_string(*metadata, "name", named(job, suffix, name));
    json_add_string(*metadata, "namespace", job->kube_namespace);
    add_labels(*metadata, job, component);
    return object;
}

/* Without blockOwnerDeletion, which would need a right of its own. */
static void add_owner(cJSON *metadata, const char *version, const char *kind, struct slice name,
                      struct slice uid, bool is_controller)
{
    cJSON *owners = cJSON_GetObjectItemCaseSensitive(metadata, "ownerReferences");
    cJSON *owner = cJSON_CreateObject();

    json_add_string(owner, "apiVersion", slice_of(version));
    json_add_string(owner, "kind", slice_of(kind));
    json_add_string(owner, "name", name);
    json_add_string(owner, "uid", uid);
    if (is_controller)
        json_add_boolean(owner, "controller", true);
    json_append(owners ? owners : json_add_array(metadata, "ownerReferences"), owner);
}

/* Not as its controller: the Job's would give up what does not match its selector, as the pods of
 * workers must not, and without an owner they would outlive it. `uid` empty: it is not known. */
static void add_job_owner(cJSON *metadata, const struct kube_job *job, struct slice uid)
{
    if (uid.size > 0)
        add_owner(metadata, "batch/v1", "Job", job->name, uid, false);
}

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
    json_add_string(annotations_of(metadata), MANIFEST_TABLES, slice_of(number));
    add_owner(metadata, "v1", "Pod", job->owner_pod, job->owner_uid, false);
}

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

/* Memory is given and taken in full, so that a node that is short of it does not
 * choose us first; processors may be used where there are more, unless the job has a limit of them,
 * as some namespaces demand. */
static void add_resources(cJSON *container, const struct kube_job *job, int64_t cpu_m,
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

static void add_mount(cJSON *container, const char *name, const char *path, const char *file)
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

/* Keys are readable by the pod's group alone: runtime/net/credentials.h refuses others. */
static cJSON *add_secret_volume(cJSON *volumes, const char *name, struct slice secret)
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

    add_mount(container, "secrets", SECRET_FOLDER, NULL);
    json_add_string(volume, "name", SLICE("secrets"));
    projected = json_add_object(volume, "projected");
    json_add_integer(projected, "defaultMode", 0440); /* the same as in add_secret_volume */
    json_append(volumes, volume);
    return json_add_array(projected, "sources");
}

/* Returns the Secret's items: none of its other keys are in the pod. */
static cJSON *add_source(cJSON *sources, struct slice secret, bool is_optional)
{
    cJSON *source = cJSON_CreateObject(), *projection = json_add_object(source, "secret");

    json_add_string(projection, "name", secret);
    if (is_optional)
        json_add_boolean(projection, "optional", true);
    json_append(sources, source);
    return json_add_array(projection, "items");
}

/* `path` is below SECRET_FOLDER. */
static void add_item(cJSON *items, const char *key, const char *path)
{
    cJSON *item = cJSON_CreateObject();

    json_add_string(item, "key", slice_of(key));
    json_add_string(item, "path", slice_of(path));
    json_append(items, item);
}

static cJSON *begin_container(const struct kube_job *job, const char *name)
{
    cJSON *container = cJSON_CreateObject(), *security;

    json_add_string(container, "name", slice_of(name));
    json_add_string(container, "image", job->image);
    json_add_string(container, "imagePullPolicy", job->pull_policy);
    security = json_add_object(container, "securityContext");
    json_add_boolean(security, "allowPrivilegeEscalation", false);
    json_add_boolean(security, "readOnlyRootFilesystem", job->has_read_only_root);
    json_add(security, "capabilities", literal("{\"drop\":[\"ALL\"]}"));
    return container;
}

/* Begins a pod within the rules of Pod Security's "restricted". */
static void begin_pod(cJSON *spec, const struct kube_job *job, struct slice account, bool has_token,
                      const char *restarts)
{
    json_add_string(spec, "serviceAccountName", account);
    json_add_boolean(spec, "automountServiceAccountToken", has_token);
    json_add_boolean(spec, "enableServiceLinks", false);
    json_add_string(spec, "restartPolicy", slice_of(restarts));
    json_add_integer(spec, "terminationGracePeriodSeconds", MANIFEST_GRACE_S);
    if (job->priority_class.size > 0)
        json_add_string(spec, "priorityClassName", job->priority_class);
    json_add(spec, "securityContext",
             literal("{\"runAsNonRoot\":true,\"runAsUser\":65532,\"runAsGroup\":65532,"
                     "\"fsGroup\":65532,\"seccompProfile\":{\"type\":\"RuntimeDefault\"}}"));
}

/* The Job makes another master as soon as this one's pod is under deletion, which a dead node never
 * confirms. By default the workers would wait five minutes for that. The Job's back-off is 10 s
 * from when the node was given up, so nothing is gained by less. */
static void add_tolerations(cJSON *spec)
{
    static const char *const taints[] = {"node.kubernetes.io/not-ready",
                                         "node.kubernetes.io/unreachable"};
    cJSON *tolerations = json_add_array(spec, "tolerations");

    for (size_t i = 0; i < sizeof taints / sizeof *taints; i++) {
        cJSON *toleration = literal("{\"operator\":\"Exists\",\"effect\":\"NoExecute\"}");

        json_add_string(toleration, "key", slice_of(taints[i]));
        json_add_integer(toleration, "tolerationSeconds", MANIFEST_AWAY_S);
        json_append(tolerations, toleration);
    }
}

/* `state`: where the program keeps what is a pod's own. By default both are the image's own
 * folders: kubectl drain refuses pods with an emptyDir, though what is in these is a copy of what
 * is in the database. */
static void add_folders(const struct kube_job *job, const char *state, cJSON *container,
                        cJSON *volumes)
{
    if (!job->has_read_only_root)
        return;
    add_mount(container, "state", state, NULL);
    add_mount(container, "tmp", "/tmp", NULL);
    json_append(volumes, literal("{\"name\":\"state\",\"emptyDir\":{}}"));
    json_append(volumes, literal("{\"name\":\"tmp\",\"emptyDir\":{}}"));
}

static void add_argument(cJSON *arguments, const char *text)
{
    json_append(arguments, json_string(slice_of(text)));
}

/* The files that a connection string names are below LOGIN_FOLDER. Missing keys are optional: else
 * the kubelet blocks the pod silently, whereas the process reports which file it misses. */
static void add_login(const struct kube_job *job, cJSON *sources)
{
    static const char *const keys[] = {MANIFEST_LOGIN_KEYS};
    cJSON *items = add_source(sources, job->database_secret, true);
    char path[64];

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        snprintf(path, sizeof path, "database/%s", keys[i]);
        add_item(items, keys[i], path);
    }
}

/* Where it is, and where the job's tables are. Returns the sources of its volume of Secrets. */
static cJSON *add_common(const struct kube_job *job, int port, cJSON *container, cJSON *volumes)
{
    cJSON *arguments = cJSON_GetObjectItemCaseSensitive(container, "args"), *sources;
    char text[64];

    snprintf(text, sizeof text, "tcp:$(POD_IP):%d", port);
    add_argument(arguments, "--listen");
    add_argument(arguments, text);
    add_argument(arguments, "--tls");
    add_argument(arguments, TLS_FOLDER);
    add_folders(job, JOBS_FOLDER, container, volumes);
    sources = add_secrets(container, volumes);
    if (job->database_secret.size == 0)
        return sources;
    add_argument(arguments, "--database");
    add_argument(arguments, LOGIN_FOLDER "/" MANIFEST_LOGIN_KEY);
    if (job->schema.size > 0) {
        add_argument(arguments, "--schema");
        json_append(arguments, json_string(job->schema));
    }
    add_login(job, sources);
    return sources;
}

static cJSON *add_role(cJSON *container, const struct kube_job *job, const char *role)
{
    cJSON *arguments = json_add_array(container, "args");
    char text[64];

    add_argument(arguments, role);
    snprintf(text, sizeof text, JOBS_FOLDER "/%lld", (long long)job->job);
    add_argument(arguments, text);
    return arguments;
}

static const char pod_address[] =
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
    add_argument(arguments, "--health");
    add_argument(arguments, text);
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
    cJSON *items = add_source(sources, named(job, "-master", name), false);

    add_item(items, "ca.crt", "tls/ca.crt");
    add_item(items, "tls.crt", "tls/tls.crt");
    add_item(items, "tls.key", "tls/tls.key");
    items = add_source(sources, named(job, "-job", name), false);
    add_item(items, MANIFEST_JOB_KEY, "job/" MANIFEST_JOB_KEY);
}

static void fill_master(cJSON *spec, const struct kube_job *job)
{
    cJSON *container = begin_container(job, "master"), *volumes = cJSON_CreateArray();
    cJSON *arguments = add_role(container, job, "master"), *variables = literal(pod_address);

    /* The end of its log is seen in its pod's status, also when the log cannot be read. */
    json_add_string(container, "terminationMessagePolicy", SLICE("FallbackToLogsOnError"));
    /* In the same pod where only the process died: state and address stay. */
    begin_pod(spec, job, job->service_account, true, "OnFailure");
    add_tolerations(spec);
    add_argument(arguments, "--kubernetes");
    add_argument(arguments, SPEC_FOLDER "/" MANIFEST_JOB_KEY);
    add_probe(container, arguments);
    append_all(variables, literal(owner_uids));
    json_add(container, "env", variables);
    add_resources(container, job, kube_job_master_cpu_m(job), kube_job_master_memory(job),
                  SLICE(""));
    add_master_files(job, add_common(job, MANIFEST_MASTER_PORT, container, volumes));
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
    json_add(annotations_of(metadata), MANIFEST_USE,
             share_report_write(&use, &text, &err) == STATUS_OK ? json_string(text_slice(&text))
                                                                : NULL);
    text_deinit(&text);
}

cJSON *manifest_job(const struct kube_job *job)
{
    cJSON *metadata, *object = begin_object(job, API_JOBS, "", "master", &metadata);
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
    add_labels(metadata, job, "master");
    allow_eviction(metadata);
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

static void add_bytes(cJSON *data, const char *name, struct slice bytes)
{
    struct text letters;

    text_init(&letters, API_BODY_BYTES_MAX);
    base64_encode(bytes, &letters);
    json_add(data, name, letters.failed ? NULL : json_string(text_slice(&letters)));
    if (letters.data)
        explicit_bzero(letters.data, letters.capacity);
    text_deinit(&letters);
}

cJSON *manifest_job_secret(const struct kube_job *job, struct slice owner)
{
    cJSON *metadata, *object = begin_object(job, API_SECRETS, "-job", "master", &metadata), *data;
    struct error err;
    struct text text;

    text_init(&text, KUBE_JOB_BYTES_MAX);
    add_job_owner(metadata, job, owner);
    json_add_boolean(object, "immutable", true);
    json_add_string(object, "type", SLICE("Opaque"));
    data = json_add_object(object, "data");
    if (kube_job_write(job, &text, &err) == STATUS_OK)
        add_bytes(data, MANIFEST_JOB_KEY, text_slice(&text));
    else
        json_add(data, MANIFEST_JOB_KEY, NULL); /* json_print reports it */
    text_deinit(&text);
    return object;
}

cJSON *manifest_master_secret(const struct kube_job *job,
                              const struct manifest_credentials *credentials, struct slice owner)
{
    cJSON *metadata, *object = begin_object(job, API_SECRETS, "-master", "master", &metadata),
                     *data;

    add_job_owner(metadata, job, owner);
    json_add_boolean(object, "immutable", true);
    json_add_string(object, "type", SLICE("kubernetes.io/tls"));
    data = json_add_object(object, "data");
    add_bytes(data, "ca.crt", credentials->authority);
    add_bytes(data, "tls.crt", credentials->certificate);
    add_bytes(data, "tls.key", credentials->key);
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

/* The suffix of the Secret that has the credentials of this member. */
static void secret_suffix(enum kube_role role, uint32_t part, char suffix[64])
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

    secret_suffix(role, part, name);
    object = begin_object(job, API_SECRETS, name, kube_role_name(role), &metadata);
    add_job_owner(metadata, job, owner);
    json_add_boolean(object, "immutable", true);
    json_add_string(object, "type", SLICE("Opaque"));
    data = json_add_object(object, "data");
    add_bytes(data, "ca.crt", credentials[0].authority);
    for (uint32_t i = 0; i < MANIFEST_WORKERS_PER_SECRET && first + i < end; i++) {
        snprintf(name, sizeof name, "%u.crt", first + i);
        add_bytes(data, name, credentials[i].certificate);
        snprintf(name, sizeof name, "%u.key", first + i);
        add_bytes(data, name, credentials[i].key);
    }
    return object;
}

cJSON *manifest_service(const struct kube_job *job, struct slice owner)
{
    cJSON *metadata, *object = begin_object(job, API_SERVICES, "-master", "master", &metadata);
    cJSON *spec = json_add_object(object, "spec"), *selector, *port;

    add_job_owner(metadata, job, owner);
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

/* Its own files of the Secret, and no other member's. */
static void add_member_files(const struct kube_job *job, const struct kube_member *member,
                             cJSON *sources)
{
    char suffix[64], name[128], key[64];
    cJSON *items;

    secret_suffix(member->role, member->index / MANIFEST_WORKERS_PER_SECRET, suffix);
    items = add_source(sources, named(job, suffix, name), false);
    add_item(items, "ca.crt", "tls/ca.crt");
    snprintf(key, sizeof key, "%u.crt", member->index);
    add_item(items, key, "tls/tls.crt");
    snprintf(key, sizeof key, "%u.key", member->index);
    add_item(items, key, "tls/tls.key");
}

static void add_number(cJSON *arguments, const char *option, int64_t number)
{
    char text[32];

    add_argument(arguments, option);
    snprintf(text, sizeof text, "%lld", (long long)number);
    add_argument(arguments, text);
}

static void add_member_arguments(cJSON *container, const struct kube_job *job,
                                 const struct kube_member *member)
{
    const int64_t cpu_m = member->role == KUBE_SERVER ? job->server_cpu_m : job->cpu_m;
    cJSON *arguments = add_role(container, job, kube_role_name(member->role));

    add_number(arguments, "--index", member->index);
    add_number(arguments, "--incarnation", member->incarnation);
    add_number(arguments, "--cpus", (cpu_m + 999) / 1000);
    if (member->role == KUBE_SERVER) {
        const int64_t most = kube_job_server_rows_most(member->memory);

        add_number(arguments, "--memory",
                   member->is_full ? most : kube_job_server_rows(member->memory));
        add_number(arguments, "--memory-moving", most);
    }
    add_argument(arguments, "--master");
    json_append(arguments, json_string(member->master));
    if (member->role == KUBE_WORKER && job->snapshot.size > 0) {
        add_argument(arguments, "--snapshot");
        json_append(arguments, json_string(job->snapshot));
    }
}

static void add_numbers(cJSON *metadata, const struct kube_member *member)
{
    cJSON *labels = cJSON_GetObjectItemCaseSensitive(metadata, "labels");
    char text[32];

    snprintf(text, sizeof text, "%u", member->index);
    json_add_string(labels, "totrain.dev/index", slice_of(text));
    snprintf(text, sizeof text, "%u", member->incarnation);
    json_add_string(labels, "totrain.dev/incarnation", slice_of(text));
}

/* So that not all workers with the state die with one node, nor all servers. A preference: where
 * there is no room on other nodes they share one. */
static void add_spread(cJSON *spec, const struct kube_job *job, enum kube_role role)
{
    cJSON *constraint = literal("{\"maxSkew\":1,\"topologyKey\":\"kubernetes.io/hostname\","
                                "\"whenUnsatisfiable\":\"ScheduleAnyway\"}");
    cJSON *labels = json_add_object(json_add_object(constraint, "labelSelector"), "matchLabels");

    json_add_string(labels, "totrain.dev/job", job->name);
    json_add_string(labels, "totrain.dev/role", slice_of(kube_role_name(role)));
    json_append(json_add_array(spec, "topologySpreadConstraints"), constraint);
}

void manifest_avoid(cJSON *spec, const struct slice *nodes, size_t count)
{
    static const char terms[] = "preferredDuringSchedulingIgnoredDuringExecution";
    cJSON *preferred, *affinity;

    if (count == 0)
        return;
    affinity = object_in(object_in(spec, "affinity"), "nodeAffinity");
    preferred = cJSON_GetObjectItemCaseSensitive(affinity, terms);
    if (!preferred)
        preferred = json_add_array(affinity, terms);
    for (size_t i = 0; i < count; i++) {
        cJSON *term = literal("{\"weight\":100,\"preference\":{\"matchFields\":[{\"key\":"
                              "\"metadata.name\",\"operator\":\"NotIn\",\"values\":[]}]}}");
        cJSON *fields = cJSON_GetObjectItem(cJSON_GetObjectItem(term, "preference"), "matchFields");
        cJSON *values = cJSON_GetObjectItem(cJSON_GetArrayItem(fields, 0), "values");

        json_append(values, json_string(nodes[i]));
        json_append(preferred, term);
    }
}

/* The scheduler takes first the workers that the job can do without. */
static void choose_class(cJSON *spec, const struct kube_job *job, const struct kube_member *member)
{
    char name[64];
    const struct slice class = kube_job_more_class(job, name);

    if (member->is_surplus && class.size > 0)
        cJSON_ReplaceItemInObjectCaseSensitive(spec, "priorityClassName", json_string(class));
}

static void suffix_of(enum kube_role role, uint32_t index, uint32_t incarnation, char suffix[64])
{
    snprintf(suffix, 64, "-%s-%u-%u", kube_role_name(role), index, incarnation);
}

void manifest_member_name(const struct kube_job *job, enum kube_role role, uint32_t index,
                          uint32_t incarnation, char name[128])
{
    char suffix[64];

    suffix_of(role, index, incarnation, suffix);
    (void)named(job, suffix, name);
}

/* The slot is what a worker computes with: a server has none. */
static void add_member_resources(cJSON *container, const struct kube_job *job,
                                 const struct kube_member *member)
{
    if (member->role == KUBE_SERVER)
        add_resources(container, job, job->server_cpu_m, member->memory, SLICE(""));
    else
        add_resources(container, job, job->cpu_m, member->memory, job->slot_resource);
}

cJSON *manifest_member(const struct kube_job *job, const struct kube_member *member,
                       struct slice owner)
{
    const char *role = kube_role_name(member->role);
    cJSON *container = begin_container(job, role), *volumes = cJSON_CreateArray();
    cJSON *metadata, *object, *spec;
    char suffix[64], name[128];

    suffix_of(member->role, member->index, member->incarnation, suffix);
    object = begin_object(job, API_PODS, suffix, role, &metadata);
    add_numbers(metadata, member);
    allow_eviction(metadata);
    add_job_owner(metadata, job, owner);
    if (member->controller.size > 0)
        add_owner(metadata, "v1", "Secret", named(job, "-job", name), member->controller, true);
    spec = json_add_object(object, "spec");
    /* The master decides what comes after its end. */
    begin_pod(spec, job, job->service_account, false, "Never");
    choose_class(spec, job, member);
    placement_of_pod(job, true, metadata, spec);
    if (member->avoided_count == 0) /* both weigh the same, and a dead node has the fewest */
        add_spread(spec, job, member->role);
    manifest_avoid(spec, member->avoided, member->avoided_count);
    add_member_arguments(container, job, member);
    json_add(container, "env", literal(pod_address));
    add_member_resources(container, job, member);
    add_member_files(job, member, add_common(job, MANIFEST_WORKER_PORT, container, volumes));
    json_append(json_add_array(spec, "containers"), container);
    json_add(spec, "volumes", volumes);
    return object;
}

/* They alone have an index. */
void manifest_member_selector(const struct kube_job *job, struct text *out)
{
    text_printf(out, "totrain.dev/job=%.*s,totrain.dev/index", SLICE_FORMAT(job->name));
}

/* ----- by the clock ----- */

static void add_word(cJSON *arguments, const char *option, struct slice value)
{
    struct text word;

    if (value.size == 0)
        return;
    text_init(&word, KUBE_JOB_BYTES_MAX);
    text_printf(&word, "--%s=%.*s", option, SLICE_FORMAT(value));
    json_append(arguments, json_string(text_slice(&word)));
    text_deinit(&word);
}

/* The command that makes the same job; what it trains is in a file. */
static void add_submit_arguments(cJSON *container, const struct kube_job *job,
                                 const struct kube_schedule *schedule)
{
    cJSON *arguments = json_add_array(container, "args");
    char number[64];

    add_argument(arguments, "submit");
    json_append(arguments, json_string(schedule->database));
    add_argument(arguments, "-f");
    add_argument(arguments, SPEC_FOLDER "/" STATEMENT_KEY);
    add_word(arguments, "run-of", job->name);
    add_argument(arguments, "--owner=$(POD_NAME)/$(POD_UID)/$(JOB_NAME)");
    add_word(arguments, "namespace", job->kube_namespace);
    add_word(arguments, "image", job->image);
    add_word(arguments, "pull-policy", job->pull_policy);
    add_word(arguments, "service-account", job->service_account);
    add_word(arguments, "database-secret", job->database_secret);
    add_word(arguments, "priority-class", job->priority_class);
    add_word(arguments, "resource", job->slot_resource);
    if (profile_is_there(job))
        add_argument(arguments, "--profile=" PROFILE_OF_RUN "@" SPEC_FOLDER "/" PROFILE_KEY);
    if (job->cpu_limit_percent > 0)
        snprintf(number, sizeof number, "%lldm:%lldm", (long long)job->cpu_m,
                 (long long)(job->cpu_m * job->cpu_limit_percent / 100));
    else
        snprintf(number, sizeof number, "%lldm", (long long)job->cpu_m);
    add_word(arguments, "cpu", slice_of(number));
    snprintf(number, sizeof number, "%lld", (long long)job->memory);
    add_word(arguments, "memory", slice_of(number));
    snprintf(number, sizeof number, "%lld", (long long)job->keep_s);
    add_word(arguments, "keep", slice_of(number));
}

static const char submit_variables[] =
    "[{\"name\":\"POD_NAME\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":\"metadata.name\"}}},"
    "{\"name\":\"POD_UID\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":\"metadata.uid\"}}},"
    "{\"name\":\"JOB_NAME\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":"
    "\"metadata.labels['batch.kubernetes.io/job-name']\"}}},"
    "{\"name\":\"PGSERVICEFILE\",\"value\":\"" MANIFEST_SERVICE_FILE "\"}]";

static void fill_submitter(cJSON *spec, const struct kube_job *job,
                           const struct kube_schedule *schedule)
{
    cJSON *container = begin_container(job, "submit"), *volumes = cJSON_CreateArray();
    char name[128];

    json_add_string(container, "terminationMessagePolicy", SLICE("FallbackToLogsOnError"));
    begin_pod(spec, job, schedule->account, true, "Never");
    add_tolerations(spec);
    add_submit_arguments(container, job, schedule);
    json_add(container, "env", literal(submit_variables));
    add_resources(container, job, kube_job_master_cpu_m(job), SUBMIT_MEMORY, SLICE(""));
    add_folders(job, STATE_FOLDER, container, volumes);
    add_mount(container, "statement", SPEC_FOLDER, NULL);
    add_secret_volume(volumes, "statement", named(job, "-statement", name));
    add_mount(container, "service", MANIFEST_SERVICE_FOLDER, NULL);
    add_secret_volume(volumes, "service", schedule->service_secret);
    json_append(json_add_array(spec, "containers"), container);
    json_add(spec, "volumes", volumes);
}

cJSON *manifest_cron_job(const struct kube_job *job, const struct kube_schedule *schedule)
{
    cJSON *metadata, *object = begin_object(job, API_CRON_JOBS, "", "submit", &metadata);
    cJSON *spec = json_add_object(object, "spec"), *inner, *template;

    json_add_string(spec, "schedule", schedule->cron);
    /* A training that lasts into the next is not disturbed by it. */
    json_add_string(spec, "concurrencyPolicy", SLICE("Forbid"));
    json_add_integer(spec, "startingDeadlineSeconds", CATCH_UP_S);
    inner = json_add_object(json_add_object(spec, "jobTemplate"), "spec");
    /* A pod that was killed, or lost its node, is followed by another; one that failed sets this to
     * 0. */
    json_add_integer(inner, "backoffLimit", SUBMIT_TRIES - 1);
    json_add_integer(inner, "ttlSecondsAfterFinished", job->keep_s);
    template = json_add_object(inner, "template");
    metadata = json_add_object(template, "metadata");
    add_labels(metadata, job, "submit");
    spec = json_add_object(template, "spec");
    fill_submitter(spec, job, schedule);
    placement_of_pod(job, false, metadata, spec);
    return object;
}

static void add_profile(cJSON *data, const struct kube_job *job)
{
    struct error err;
    struct text text;

    text_init(&text, PROFILE_FILE_BYTES_MAX);
    if (profile_write(job, &text, &err) == STATUS_OK)
        add_bytes(data, PROFILE_KEY, text_slice(&text));
    else
        json_add(data, PROFILE_KEY, NULL); /* json_print reports it */
    text_deinit(&text);
}

cJSON *manifest_statement_secret(const struct kube_job *job, struct slice statement,
                                 struct slice owner)
{
    cJSON *metadata, *object = begin_object(job, API_SECRETS, "-statement", "submit", &metadata);
    cJSON *data;

    if (owner.size > 0)
        add_owner(metadata, "batch/v1", "CronJob", job->name, owner, false);
    json_add_string(object, "type", SLICE("Opaque"));
    data = json_add_object(object, "data");
    add_bytes(data, STATEMENT_KEY, statement);
    if (profile_is_there(job))
        add_profile(data, job);
    return object;
}
