#include "k8s/objects/manifest_metadata.h"

#include <stdio.h>
#include <string.h>

#include "k8s/client/base64.h"
#include "k8s/objects/manifest.h"

cJSON *manifest_literal(const char *json)
{
    return cJSON_Parse(json);
}

struct slice manifest_named(const struct kube_job *job, const char *suffix, char out[128])
{
    snprintf(out, 128, "%.*s%s", SLICE_FORMAT(job->name), suffix);
    return slice_of(out);
}

cJSON *manifest_object_in(cJSON *object, const char *name)
{
    cJSON *there = cJSON_GetObjectItemCaseSensitive(object, name);

    return there ? there : json_add_object(object, name);
}

cJSON *manifest_annotations(cJSON *metadata)
{
    return manifest_object_in(metadata, "annotations");
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
            json_add_string(manifest_annotations(metadata), origin[i].name, origin[i].value);
    }
}

void manifest_allow_eviction(cJSON *metadata)
{
    json_add_string(manifest_annotations(metadata),
                    "cluster-autoscaler.kubernetes.io/safe-to-evict", SLICE("true"));
}

void manifest_add_labels(cJSON *metadata, const struct kube_job *job, const char *component)
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

cJSON *manifest_begin(const struct kube_job *job, enum api_kind kind, const char *suffix,
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
    json_add_string(*metadata, "name", manifest_named(job, suffix, name));
    json_add_string(*metadata, "namespace", job->kube_namespace);
    manifest_add_labels(*metadata, job, component);
    return object;
}

void manifest_add_owner(cJSON *metadata, const char *version, const char *kind, struct slice name,
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

void manifest_add_job_owner(cJSON *metadata, const struct kube_job *job, struct slice uid)
{
    if (uid.size > 0)
        manifest_add_owner(metadata, "batch/v1", "Job", job->name, uid, false);
}

void manifest_add_bytes(cJSON *data, const char *name, struct slice bytes)
{
    struct text letters;

    text_init(&letters, API_BODY_BYTES_MAX);
    base64_encode(bytes, &letters);
    json_add(data, name, letters.failed ? NULL : json_string(text_slice(&letters)));
    if (letters.data)
        explicit_bzero(letters.data, letters.capacity);
    text_deinit(&letters);
}
