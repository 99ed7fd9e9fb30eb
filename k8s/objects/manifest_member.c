/* Pods of workers and of parameter servers, which the master makes. */
#include <stdio.h>
#include <string.h>

#include "k8s/objects/manifest.h"
#include "k8s/objects/manifest_metadata.h"
#include "k8s/objects/manifest_pod.h"
#include "k8s/objects/placement.h"

/* Its own files of the Secret, and no other member's. */
static void add_member_files(const struct kube_job *job, const struct kube_member *member,
                             cJSON *sources)
{
    char suffix[64], name[128], key[64];
    cJSON *items;

    manifest_secret_suffix(member->role, member->index / MANIFEST_WORKERS_PER_SECRET, suffix);
    items = manifest_add_source(sources, manifest_named(job, suffix, name), false);
    manifest_add_item(items, "ca.crt", "tls/ca.crt");
    snprintf(key, sizeof key, "%u.crt", member->index);
    manifest_add_item(items, key, "tls/tls.crt");
    snprintf(key, sizeof key, "%u.key", member->index);
    manifest_add_item(items, key, "tls/tls.key");
}

static void add_number(cJSON *arguments, const char *option, int64_t number)
{
    char text[32];

    manifest_add_argument(arguments, option);
    snprintf(text, sizeof text, "%lld", (long long)number);
    manifest_add_argument(arguments, text);
}

static void add_member_arguments(cJSON *container, const struct kube_job *job,
                                 const struct kube_member *member)
{
    const int64_t cpu_m = member->role == KUBE_SERVER ? job->server_cpu_m : job->cpu_m;
    cJSON *arguments = manifest_add_role(container, job, kube_role_name(member->role));

    add_number(arguments, "--index", member->index);
    add_number(arguments, "--incarnation", member->incarnation);
    add_number(arguments, "--cpus", (cpu_m + 999) / 1000);
    if (member->role == KUBE_SERVER) {
        const int64_t most = kube_job_server_rows_most(member->memory);

        add_number(arguments, "--memory",
                   member->is_full ? most : kube_job_server_rows(member->memory));
        add_number(arguments, "--memory-moving", most);
    }
    manifest_add_argument(arguments, "--master");
    json_append(arguments, json_string(member->master));
    if (member->role == KUBE_WORKER && job->snapshot.size > 0) {
        manifest_add_argument(arguments, "--snapshot");
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
    cJSON *constraint =
        manifest_literal("{\"maxSkew\":1,\"topologyKey\":\"kubernetes.io/hostname\","
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
    affinity = manifest_object_in(manifest_object_in(spec, "affinity"), "nodeAffinity");
    preferred = cJSON_GetObjectItemCaseSensitive(affinity, terms);
    if (!preferred)
        preferred = json_add_array(affinity, terms);
    for (size_t i = 0; i < count; i++) {
        cJSON *term =
            manifest_literal("{\"weight\":100,\"preference\":{\"matchFields\":[{\"key\":"
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
    (void)manifest_named(job, suffix, name);
}

/* The slot is what a worker computes with: a server has none. */
static void add_member_resources(cJSON *container, const struct kube_job *job,
                                 const struct kube_member *member)
{
    if (member->role == KUBE_SERVER)
        manifest_add_resources(container, job, job->server_cpu_m, member->memory, SLICE(""));
    else
        manifest_add_resources(container, job, job->cpu_m, member->memory, job->slot_resource);
}

cJSON *manifest_member(const struct kube_job *job, const struct kube_member *member,
                       struct slice owner)
{
    const char *role = kube_role_name(member->role);
    cJSON *container = manifest_begin_container(job, role), *volumes = cJSON_CreateArray();
    cJSON *metadata, *object, *spec;
    char suffix[64], name[128];

    suffix_of(member->role, member->index, member->incarnation, suffix);
    object = manifest_begin(job, API_PODS, suffix, role, &metadata);
    add_numbers(metadata, member);
    manifest_allow_eviction(metadata);
    manifest_add_job_owner(metadata, job, owner);
    if (member->controller.size > 0)
        manifest_add_owner(metadata, "v1", "Secret", manifest_named(job, "-job", name),
                           member->controller, true);
    spec = json_add_object(object, "spec");
    /* The master decides what comes after its end. */
    manifest_begin_pod(spec, job, job->service_account, false, "Never");
    choose_class(spec, job, member);
    placement_of_pod(job, true, metadata, spec);
    if (member->avoided_count == 0) /* both weigh the same, and a dead node has the fewest */
        add_spread(spec, job, member->role);
    manifest_avoid(spec, member->avoided, member->avoided_count);
    add_member_arguments(container, job, member);
    json_add(container, "env", manifest_literal(manifest_pod_address));
    add_member_resources(container, job, member);
    add_member_files(job, member,
                     manifest_add_common(job, MANIFEST_WORKER_PORT, container, volumes));
    json_append(json_add_array(spec, "containers"), container);
    json_add(spec, "volumes", volumes);
    return object;
}

/* They alone have an index. */
void manifest_member_selector(const struct kube_job *job, struct text *out)
{
    text_printf(out, "totrain.dev/job=%.*s,totrain.dev/index", SLICE_FORMAT(job->name));
}
