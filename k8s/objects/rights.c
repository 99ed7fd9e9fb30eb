#include "k8s/objects/rights.h"

#include <stdio.h>
#include <string.h>

#include "k8s/client/access.h"
#include "k8s/client/api_answer.h"
#include "k8s/job/kube_job.h"
#include "k8s/objects/manifest.h"

const char rights_warning[] = "An account that may create Pods in a namespace can mount every "
                              "Secret of it and act as each of its "
                              "service accounts: keep nothing else in this one.";

/* The master creates the pods of the workers. It reads their logs to report why one failed, gives
 * more memory in place to one that ran out of it, reads on its Job how many workers are wanted, and
 * patches the Job where trying again is in vain. With the others it decides, by a Lease, how many
 * workers each of their jobs has, as far as the quotas allow. */
static const struct right master[] = {
    {API_PODS, NULL, "create delete get list watch"},
    {API_PODS, "log", "get"},
    {API_PODS, "resize", "patch"},
    {API_EVENTS, NULL, "create patch"},
    {API_JOBS, NULL, "get list watch patch"},
    {API_LEASES, NULL, "create get list update watch"},
    {API_RESOURCE_QUOTAS, NULL, "get list watch"},
};

/* Reads Secrets only to recognise its own, and makes the pod of the next master where the one
 * before is lost; an account that creates Jobs could do both anyway. */
static const struct right submitter[] = {
    {API_JOBS, NULL, "create delete get list watch patch"},
    {API_CRON_JOBS, NULL, "create delete get list"},
    {API_SECRETS, NULL, "create delete get"},
    {API_SERVICES, NULL, "create delete get"},
    {API_PODS, NULL, "create delete get list watch"},
    {API_PODS, "log", "get"},
    {API_EVENTS, NULL, "list watch"},
    {API_LIMIT_RANGES, NULL, "list"},
    {API_RESOURCE_QUOTAS, NULL, "list"},
};

/* The pod of a schedule submits, and removes what one before it has left. */
static const struct right schedule[] = {
    {API_JOBS, NULL, "create delete get list watch patch"},
    {API_SECRETS, NULL, "create get"},
    {API_SERVICES, NULL, "create get"},
    {API_PODS, NULL, "create delete get list watch"},
    {API_PODS, "log", "get"},
    {API_EVENTS, NULL, "list watch"},
    {API_LIMIT_RANGES, NULL, "list"},
    {API_RESOURCE_QUOTAS, NULL, "list"},
};

/* Decides for the masters of a namespace; a Job that has no room in the quota is suspended. */
static const struct right share[] = {
    {API_JOBS, NULL, "get list watch patch"},
    {API_LEASES, NULL, "create get list update watch"},
    {API_RESOURCE_QUOTAS, NULL, "get list watch"},
};

/* Sees what room there is in the cluster. */
static const struct right nodes[] = {
    {API_NODES, NULL, "get list watch"},
    {API_PODS, NULL, "get list watch"},
};

static const struct {
    const struct right *rights;
    size_t count;
} roles[] = {
    [RIGHTS_OF_MASTER] = {master, sizeof master / sizeof *master},
    [RIGHTS_OF_SUBMITTER] = {submitter, sizeof submitter / sizeof *submitter},
    [RIGHTS_OF_SCHEDULE] = {schedule, sizeof schedule / sizeof *schedule},
    [RIGHTS_OF_SHARE] = {share, sizeof share / sizeof *share},
    [RIGHTS_OF_NODES] = {nodes, sizeof nodes / sizeof *nodes},
};

const struct right *rights_of(enum rights_role role, size_t *count)
{
    *count = roles[role].count;
    return roles[role].rights;
}

static cJSON *begin_right_object(enum api_kind kind, struct slice kube_namespace, struct slice name,
                                 cJSON **metadata)
{
    const struct api_names *names = api_names(kind);
    cJSON *object = cJSON_CreateObject(), *labels;
    char version[64];

    snprintf(version, sizeof version, "%s%s%s", names->group, *names->group ? "/" : "",
             names->version);
    json_add_string(object, "apiVersion", slice_of(version));
    json_add_string(object, "kind", slice_of(names->kind));
    *metadata = json_add_object(object, "metadata");
    json_add_string(*metadata, "name", name);
    if (names->is_in_namespace)
        json_add_string(*metadata, "namespace", kube_namespace);
    labels = json_add_object(*metadata, "labels");
    json_add_string(labels, "app.kubernetes.io/name", SLICE("totrain"));
    return object;
}

static cJSON *build_namespace(struct slice name)
{
    cJSON *metadata, *object = begin_right_object(API_NAMESPACES, name, name, &metadata);
    cJSON *labels = cJSON_GetObjectItemCaseSensitive(metadata, "labels");

    json_add_string(labels, "pod-security.kubernetes.io/enforce", SLICE("restricted"));
    json_add_string(labels, "pod-security.kubernetes.io/warn", SLICE("restricted"));
    json_add_string(json_add_object(metadata, "annotations"), "totrain.dev/warning",
                    slice_of(rights_warning));
    return object;
}

static cJSON *build_quota(struct slice kube_namespace, const struct rights_limits *limits)
{
    cJSON *metadata;
    cJSON *object =
        begin_right_object(API_RESOURCE_QUOTAS, kube_namespace, SLICE("totrain"), &metadata);
    cJSON *hard = json_add_object(json_add_object(object, "spec"), "hard");
    char pods[32];

    snprintf(pods, sizeof pods, "%lld", (long long)limits->pods);
    json_add_string(hard, "pods", slice_of(pods));
    json_add_string(hard, "requests.cpu", limits->cpu);
    json_add_string(hard, "requests.memory", limits->memory);
    json_add_string(hard, "limits.memory", limits->memory);
    return object;
}

static cJSON *build_account(struct slice kube_namespace, const char *name, bool has_token)
{
    cJSON *metadata;
    cJSON *object =
        begin_right_object(API_SERVICE_ACCOUNTS, kube_namespace, slice_of(name), &metadata);

    /* The pods that need a token ask for it in their own spec. */
    json_add_boolean(object, "automountServiceAccountToken", has_token);
    return object;
}

static void append_words(cJSON *array, const char *words)
{
    while (*words) {
        size_t size = strcspn(words, " ");

        json_append(array, json_string((struct slice){words, size}));
        words += size + strspn(words + size, " ");
    }
}

static cJSON *build_rule(const struct right *right)
{
    const struct api_names *names = api_names(right->kind);
    cJSON *rule = cJSON_CreateObject();
    char resource[128];

    snprintf(resource, sizeof resource, "%s%s%s", names->plural, right->subresource ? "/" : "",
             right->subresource ? right->subresource : "");
    json_append(json_add_array(rule, "apiGroups"), json_string(slice_of(names->group)));
    json_append(json_add_array(rule, "resources"), json_string(slice_of(resource)));
    append_words(json_add_array(rule, "verbs"), right->verbs);
    return rule;
}

static cJSON *build_role(enum api_kind kind, struct slice kube_namespace, const char *name,
                         enum rights_role role)
{
    cJSON *metadata;
    cJSON *object = begin_right_object(kind, kube_namespace, slice_of(name), &metadata);
    cJSON *rules = json_add_array(object, "rules");
    size_t count;
    const struct right *rights = rights_of(role, &count);

    for (size_t i = 0; i < count; i++)
        json_append(rules, build_rule(&rights[i]));
    return object;
}

/* `home`: the namespace of the account. */
static cJSON *build_binding(enum api_kind kind, struct slice kube_namespace, struct slice home,
                            const char *name)
{
    cJSON *metadata;
    cJSON *object = begin_right_object(kind, kube_namespace, slice_of(name), &metadata);
    cJSON *role = json_add_object(object, "roleRef"), *subject = cJSON_CreateObject();

    json_add_string(role, "apiGroup", SLICE("rbac.authorization.k8s.io"));
    json_add_string(role, "kind", kind == API_ROLE_BINDINGS ? SLICE("Role") : SLICE("ClusterRole"));
    json_add_string(role, "name", slice_of(name));
    json_add_string(subject, "kind", SLICE("ServiceAccount"));
    json_add_string(subject, "name", slice_of(name));
    json_add_string(subject, "namespace", home);
    json_append(json_add_array(object, "subjects"), subject);
    return object;
}

static void append_role(cJSON *items, struct slice kube_namespace, const char *name,
                        enum rights_role role)
{
    json_append(items, build_account(kube_namespace, name, false));
    json_append(items, build_role(API_ROLES, kube_namespace, name, role));
    json_append(items, build_binding(API_ROLE_BINDINGS, kube_namespace, kube_namespace, name));
}

static cJSON *begin_list(cJSON **items)
{
    cJSON *list = cJSON_CreateObject();

    json_add_string(list, "apiVersion", SLICE("v1"));
    json_add_string(list, "kind", SLICE("List"));
    *items = json_add_array(list, "items");
    return list;
}

enum status rights_print(struct slice kube_namespace, const struct rights_limits *limits,
                         struct text *out, struct error *err)
{
    cJSON *list, *items;
    enum status status;

    if (access_check_namespace(kube_namespace, err) != STATUS_OK)
        return fail(err, STATUS_INVALID, "\"%.*s\" is not a valid name of a namespace",
                    SLICE_FORMAT(kube_namespace));
    list = begin_list(&items);
    json_append(items, build_namespace(kube_namespace));
    json_append(items, build_quota(kube_namespace, limits));
    append_role(items, kube_namespace, RIGHTS_MASTER, RIGHTS_OF_MASTER);
    append_role(items, kube_namespace, RIGHTS_SUBMITTER, RIGHTS_OF_SUBMITTER);
    append_role(items, kube_namespace, RIGHTS_SCHEDULE, RIGHTS_OF_SCHEDULE);
    status = json_print(list, true, out, err);
    cJSON_Delete(list);
    return status;
}

/* ----- PriorityClasses ----- */

#define CLASS_FIRST (-5) /* the middle band; the cluster autoscaler's cut-off is -10 by default */
#define CLASS_MORE  (-1005)
#define CLASS_STEP  4

static cJSON *build_class(const char *name, const char *end, int value, const char *what)
{
    cJSON *metadata, *object;
    char full[64];

    snprintf(full, sizeof full, "%s%s", name, end);
    object = begin_right_object(API_PRIORITY_CLASSES, SLICE(""), slice_of(full), &metadata);
    json_add_integer(object, "value", value);
    json_add_boolean(object, "globalDefault", false);
    json_add_string(object, "description", slice_of(what));
    return object;
}

enum status rights_print_classes(struct text *out, struct error *err)
{
    static const char *const ends[] = {"-low", "", "-high"};
    cJSON *items, *list = begin_list(&items);
    enum status status;

    for (int i = 0; i < 3; i++) {
        json_append(items,
                    build_class(KUBE_JOB_FIRST, ends[i], CLASS_FIRST + CLASS_STEP * (i - 1),
                                "Master, servers and as many workers as a job of ToTrain cannot "
                                "do without."));
        json_append(items, build_class(KUBE_JOB_MORE, ends[i], CLASS_MORE + CLASS_STEP * (i - 1),
                                       "Workers that a job of ToTrain can do without."));
    }
    status = json_print(list, true, out, err);
    cJSON_Delete(list);
    return status;
}

/* ----- the sharer ----- */

static cJSON *build_deployment(struct slice home, struct slice namespaces, struct slice image)
{
    static const char pod[] =
        "{\"securityContext\":{\"runAsNonRoot\":true,\"runAsUser\":65532,\"runAsGroup\":65532,"
        "\"seccompProfile\":{\"type\":\"RuntimeDefault\"}},\"containers\":[{\"name\":\"share\","
        "\"securityContext\":{\"allowPrivilegeEscalation\":false,\"readOnlyRootFilesystem\":true,"
        "\"capabilities\":{\"drop\":[\"ALL\"]}},\"resources\":{\"requests\":{\"cpu\":\"50m\","
        "\"memory\":\"128Mi\"},\"limits\":{\"memory\":\"128Mi\"}},\"ports\":[{\"name\":\"metrics\"}"
        "]"
        "}]}";
    cJSON *metadata, *spec, *template, *labels, *inner, *container, *arguments;
    cJSON *object = begin_right_object(API_DEPLOYMENTS, home, SLICE(RIGHTS_SHARE), &metadata);
    struct text option;

    spec = json_add_object(object, "spec");
    json_add_integer(spec, "replicas", 1);
    json_add_string(json_add_object(json_add_object(spec, "selector"), "matchLabels"),
                    "app.kubernetes.io/component", SLICE("share"));
    template = json_add_object(spec, "template");
    labels = json_add_object(json_add_object(template, "metadata"), "labels");
    json_add_string(labels, "app.kubernetes.io/component", SLICE("share"));
    json_add_string(labels, "totrain.dev/role", SLICE("share"));
    inner = cJSON_Parse(pod);
    json_add(template, "spec", inner);
    json_add_string(inner, "serviceAccountName", SLICE(RIGHTS_SHARE));
    container = cJSON_GetArrayItem(cJSON_GetObjectItem(inner, "containers"), 0);
    json_add_string(container, "image", image);
    arguments = json_add_array(container, "args");
    json_append(arguments, json_string(SLICE("k8s")));
    json_append(arguments, json_string(SLICE("share")));
    text_init(&option, TEXT_MAXIMUM);
    text_printf(&option, "--namespace=%.*s", SLICE_FORMAT(namespaces));
    json_append(arguments, json_string(text_slice(&option)));
    text_deinit(&option);
    text_init(&option, TEXT_MAXIMUM);
    text_printf(&option, "--metrics=0.0.0.0:%d", MANIFEST_METRICS_PORT);
    json_append(arguments, json_string(text_slice(&option)));
    text_deinit(&option);
    json_add_integer(cJSON_GetArrayItem(cJSON_GetObjectItem(container, "ports"), 0),
                     "containerPort", MANIFEST_METRICS_PORT);
    return object;
}

static enum status append_share_roles(cJSON *items, struct slice list, struct slice home,
                                      struct error *err)
{
    while (list.size > 0) {
        const char *comma = memchr(list.data, ',', list.size);
        const struct slice name = {list.data, comma ? (size_t)(comma - list.data) : list.size};

        if (access_check_namespace(name, err) != STATUS_OK)
            return fail(err, STATUS_INVALID, "\"%.*s\" is not a valid name of a namespace",
                        SLICE_FORMAT(name));
        json_append(items, build_role(API_ROLES, name, RIGHTS_SHARE, RIGHTS_OF_SHARE));
        json_append(items, build_binding(API_ROLE_BINDINGS, name, home, RIGHTS_SHARE));
        list.data += name.size + (comma != NULL);
        list.size -= name.size + (comma != NULL);
    }
    return STATUS_OK;
}

enum status rights_print_share(struct slice namespaces, struct slice image, struct text *out,
                               struct error *err)
{
    const char *comma = namespaces.size > 0 ? memchr(namespaces.data, ',', namespaces.size) : NULL;
    const struct slice home = {namespaces.data,
                               comma ? (size_t)(comma - namespaces.data) : namespaces.size};
    cJSON *items, *list = begin_list(&items);
    enum status status;

    json_append(items, build_account(home, RIGHTS_SHARE, true));
    json_append(items, build_role(API_CLUSTER_ROLES, SLICE(""), RIGHTS_SHARE, RIGHTS_OF_NODES));
    json_append(items, build_binding(API_CLUSTER_ROLE_BINDINGS, SLICE(""), home, RIGHTS_SHARE));
    status = append_share_roles(items, namespaces, home, err);
    json_append(items, build_deployment(home, namespaces, image));
    if (status == STATUS_OK)
        status = json_print(list, true, out, err);
    cJSON_Delete(list);
    return status;
}

cJSON *rights_review(struct slice kube_namespace, const struct right *right, struct slice verb)
{
    const struct api_names *names = api_names(right->kind);
    cJSON *object = cJSON_CreateObject(), *attributes;

    json_add_string(object, "apiVersion", SLICE("authorization.k8s.io/v1"));
    json_add_string(object, "kind", SLICE("SelfSubjectAccessReview"));
    attributes = json_add_object(json_add_object(object, "spec"), "resourceAttributes");
    json_add_string(attributes, "namespace", kube_namespace);
    json_add_string(attributes, "verb", verb);
    json_add_string(attributes, "group", slice_of(names->group));
    json_add_string(attributes, "resource", slice_of(names->plural));
    if (right->subresource)
        json_add_string(attributes, "subresource", slice_of(right->subresource));
    return object;
}

enum status rights_review_read(const cJSON *answer, bool *is_allowed, struct error *err)
{
    const cJSON *allowed = API_MEMBER(answer, "status", "allowed");

    if (!cJSON_IsBool(allowed))
        return fail(err, STATUS_PROTOCOL,
                    "the API server's answer to an access review has no "
                    "status.allowed");
    *is_allowed = cJSON_IsTrue(allowed);
    return STATUS_OK;
}
