#include "k8s/objects/rights.h"

#include <stdio.h>
#include <string.h>

#include "k8s/client/access.h"
#include "k8s/client/api_answer.h"

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
};

/* The pod of a schedule submits, and removes what one before it has left. */
static const struct right schedule[] = {
    {API_JOBS, NULL, "create delete get list watch patch"},
    {API_SECRETS, NULL, "create get"},
    {API_SERVICES, NULL, "create get"},
    {API_PODS, NULL, "create delete get list watch"},
    {API_PODS, "log", "get"},
    {API_EVENTS, NULL, "list watch"},
};

static const struct {
    const struct right *rights;
    size_t count;
} roles[] = {
    [RIGHTS_OF_MASTER] = {master, sizeof master / sizeof *master},
    [RIGHTS_OF_SUBMITTER] = {submitter, sizeof submitter / sizeof *submitter},
    [RIGHTS_OF_SCHEDULE] = {schedule, sizeof schedule / sizeof *schedule},
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

static cJSON *build_role(struct slice kube_namespace, const char *name, enum rights_role role)
{
    cJSON *metadata;
    cJSON *object = begin_right_object(API_ROLES, kube_namespace, slice_of(name), &metadata);
    cJSON *rules = json_add_array(object, "rules");
    size_t count;
    const struct right *rights = rights_of(role, &count);

    for (size_t i = 0; i < count; i++)
        json_append(rules, build_rule(&rights[i]));
    return object;
}

static cJSON *build_binding(struct slice kube_namespace, const char *name)
{
    cJSON *metadata;
    cJSON *object =
        begin_right_object(API_ROLE_BINDINGS, kube_namespace, slice_of(name), &metadata);
    cJSON *role = json_add_object(object, "roleRef"), *subject = cJSON_CreateObject();

    json_add_string(role, "apiGroup", SLICE("rbac.authorization.k8s.io"));
    json_add_string(role, "kind", SLICE("Role"));
    json_add_string(role, "name", slice_of(name));
    json_add_string(subject, "kind", SLICE("ServiceAccount"));
    json_add_string(subject, "name", slice_of(name));
    json_add_string(subject, "namespace", kube_namespace);
    json_append(json_add_array(object, "subjects"), subject);
    return object;
}

static void append_role(cJSON *items, struct slice kube_namespace, const char *name,
                        enum rights_role role)
{
    json_append(items, build_account(kube_namespace, name, false));
    json_append(items, build_role(kube_namespace, name, role));
    json_append(items, build_binding(kube_namespace, name));
}

enum status rights_print(struct slice kube_namespace, const struct rights_limits *limits,
                         struct text *out, struct error *err)
{
    cJSON *list, *items;
    enum status status;

    if (access_check_namespace(kube_namespace, err) != STATUS_OK)
        return fail(err, STATUS_INVALID, "\"%.*s\" is no name of a namespace",
                    SLICE_FORMAT(kube_namespace));
    list = cJSON_CreateObject();
    json_add_string(list, "apiVersion", SLICE("v1"));
    json_add_string(list, "kind", SLICE("List"));
    items = json_add_array(list, "items");
    json_append(items, build_namespace(kube_namespace));
    json_append(items, build_quota(kube_namespace, limits));
    append_role(items, kube_namespace, RIGHTS_MASTER, RIGHTS_OF_MASTER);
    append_role(items, kube_namespace, RIGHTS_SUBMITTER, RIGHTS_OF_SUBMITTER);
    append_role(items, kube_namespace, RIGHTS_SCHEDULE, RIGHTS_OF_SCHEDULE);
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
