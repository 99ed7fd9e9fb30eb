#include "k8s/client/api.h"

#include <stdio.h>
#include <string.h>

static const struct api_names names[API_KIND_COUNT] = {
    [API_NAMESPACES] = {"namespaces", "Namespace", "", "v1", false},
    [API_PODS] = {"pods", "Pod", "", "v1", true},
    [API_SECRETS] = {"secrets", "Secret", "", "v1", true},
    [API_SERVICES] = {"services", "Service", "", "v1", true},
    [API_EVENTS] = {"events", "Event", "", "v1", true},
    [API_SERVICE_ACCOUNTS] = {"serviceaccounts", "ServiceAccount", "", "v1", true},
    [API_RESOURCE_QUOTAS] = {"resourcequotas", "ResourceQuota", "", "v1", true},
    [API_LIMIT_RANGES] = {"limitranges", "LimitRange", "", "v1", true},
    [API_NODES] = {"nodes", "Node", "", "v1", false},
    [API_JOBS] = {"jobs", "Job", "batch", "v1", true},
    [API_CRON_JOBS] = {"cronjobs", "CronJob", "batch", "v1", true},
    [API_ROLES] = {"roles", "Role", "rbac.authorization.k8s.io", "v1", true},
    [API_ROLE_BINDINGS] = {"rolebindings", "RoleBinding", "rbac.authorization.k8s.io", "v1", true},
    [API_CLUSTER_ROLES] = {"clusterroles", "ClusterRole", "rbac.authorization.k8s.io", "v1", false},
    [API_CLUSTER_ROLE_BINDINGS] = {"clusterrolebindings", "ClusterRoleBinding",
                                   "rbac.authorization.k8s.io", "v1", false},
    [API_LEASES] = {"leases", "Lease", "coordination.k8s.io", "v1", true},
    [API_PRIORITY_CLASSES] = {"priorityclasses", "PriorityClass", "scheduling.k8s.io", "v1", false},
    [API_DEPLOYMENTS] = {"deployments", "Deployment", "apps", "v1", true},
    [API_ACCESS_REVIEWS] = {"selfsubjectaccessreviews", "SelfSubjectAccessReview",
                            "authorization.k8s.io", "v1", false},
};

const struct api_names *api_names(enum api_kind kind)
{
    return &names[kind];
}

void http_request_init(struct http_request *request)
{
    memset(request, 0, sizeof *request);
    text_init(&request->path, API_PATH_BYTES_MAX);
    text_init(&request->body, API_BODY_BYTES_MAX);
}

void http_request_deinit(struct http_request *request)
{
    if (request->body.data) /* it may be a Secret */
        explicit_bzero(request->body.data, request->body.capacity);
    text_deinit(&request->path);
    text_deinit(&request->body);
}

/* Names and selectors come from users, tokens from the server. */
static void append_encoded(struct text *out, struct slice value)
{
    for (size_t i = 0; i < value.size; i++) {
        char c = value.data[i];

        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
            (c && strchr("-._~", c)))
            text_append_char(out, c);
        else
            text_printf(out, "%%%02X", (unsigned char)c);
    }
}

static void append_path(struct text *out, const struct api_target *target)
{
    const struct api_names *named = api_names(target->kind);

    text_clear(out);
    if (*named->group)
        text_printf(out, "/apis/%s/%s", named->group, named->version);
    else
        text_printf(out, "/api/%s", named->version);
    if (named->is_in_namespace && target->kube_namespace.size > 0) {
        text_append_string(out, "/namespaces/");
        append_encoded(out, target->kube_namespace);
    }
    text_printf(out, "/%s", named->plural);
    if (target->name.size > 0) {
        text_append_char(out, '/');
        append_encoded(out, target->name);
    }
    if (target->subresource)
        text_printf(out, "/%s", target->subresource);
}

static void append_query(struct text *out, const char *name, struct slice value)
{
    text_append_char(out, memchr(out->data, '?', out->size) ? '&' : '?');
    text_append_string(out, name);
    text_append_char(out, '=');
    append_encoded(out, value);
}

static void append_number(struct text *out, const char *name, int64_t value)
{
    char digits[32];

    snprintf(digits, sizeof digits, "%lld", (long long)value);
    append_query(out, name, slice_of(digits));
}

static enum status begin_request(struct http_request *request, const char *method,
                                 const struct api_target *target, struct error *err)
{
    append_path(&request->path, target);
    text_clear(&request->body);
    request->method = method;
    request->content_type = NULL;
    request->timeout_ms = API_TIMEOUT_MS;
    return request->path.failed ? fail(err, STATUS_LIMIT, "the path of a request is too long")
                                : STATUS_OK;
}

static enum status end(const struct http_request *request, struct error *err)
{
    return request->path.failed ? fail(err, STATUS_LIMIT, "the path of a request is too long")
                                : STATUS_OK;
}

static enum status set_body(struct http_request *request, const cJSON *object, const char *type,
                            struct error *err)
{
    request->content_type = type;
    return json_print(object, false, &request->body, err);
}

enum status api_get(struct http_request *request, const struct api_target *target,
                    struct error *err)
{
    return begin_request(request, "GET", target, err);
}

enum status api_list(struct http_request *request, const struct api_target *target,
                     struct slice selector, struct slice token, struct error *err)
{
    TRY(begin_request(request, "GET", target, err));
    append_number(&request->path, "limit", API_LIST_LIMIT);
    if (selector.size > 0)
        append_query(&request->path, "labelSelector", selector);
    if (target->fields.size > 0)
        append_query(&request->path, "fieldSelector", target->fields);
    if (token.size > 0)
        append_query(&request->path, "continue", token);
    return end(request, err);
}

enum status api_watch(struct http_request *request, const struct api_target *target,
                      struct slice selector, struct slice resource_version, struct error *err)
{
    TRY(begin_request(request, "GET", target, err));
    append_query(&request->path, "watch", SLICE("true"));
    append_query(&request->path, "allowWatchBookmarks", SLICE("true"));
    append_number(&request->path, "timeoutSeconds", API_WATCH_S);
    append_query(&request->path, "resourceVersion", resource_version);
    if (selector.size > 0)
        append_query(&request->path, "labelSelector", selector);
    if (target->fields.size > 0)
        append_query(&request->path, "fieldSelector", target->fields);
    request->timeout_ms = API_WATCH_S * 1000 + API_WATCH_GRACE_MS;
    return end(request, err);
}

enum status api_create(struct http_request *request, const struct api_target *target,
                       const cJSON *object, struct error *err)
{
    TRY(begin_request(request, "POST", target, err));
    append_query(&request->path, "fieldManager", SLICE("totrain"));
    if (target->is_dry_run)
        append_query(&request->path, "dryRun", SLICE("All"));
    TRY(end(request, err));
    return set_body(request, object, "application/json", err);
}

enum status api_replace(struct http_request *request, const struct api_target *target,
                        const cJSON *object, struct error *err)
{
    TRY(begin_request(request, "PUT", target, err));
    append_query(&request->path, "fieldManager", SLICE("totrain"));
    TRY(end(request, err));
    return set_body(request, object, "application/json", err);
}

static void add_preconditions(cJSON *options, const struct api_deletion *deletion)
{
    cJSON *preconditions;

    if (deletion->uid.size == 0 && deletion->resource_version.size == 0)
        return;
    preconditions = json_add_object(options, "preconditions");
    if (deletion->uid.size > 0)
        json_add_string(preconditions, "uid", deletion->uid);
    if (deletion->resource_version.size > 0)
        json_add_string(preconditions, "resourceVersion", deletion->resource_version);
}

enum status api_delete(struct http_request *request, const struct api_target *target,
                       const struct api_deletion *deletion, struct error *err)
{
    cJSON *options = cJSON_CreateObject();
    enum status status;

    json_add_string(options, "apiVersion", SLICE("v1"));
    json_add_string(options, "kind", SLICE("DeleteOptions"));
    if (deletion->propagation)
        json_add_string(options, "propagationPolicy", slice_of(deletion->propagation));
    if (deletion->grace_s >= 0)
        json_add_integer(options, "gracePeriodSeconds", deletion->grace_s);
    add_preconditions(options, deletion);
    status = begin_request(request, "DELETE", target, err);
    if (status == STATUS_OK)
        status = set_body(request, options, "application/json", err);
    cJSON_Delete(options);
    return status;
}

enum status api_patch(struct http_request *request, const struct api_target *target,
                      enum api_patch_kind kind, const cJSON *patch, struct error *err)
{
    static const char *const types[] = {
        [API_PATCH_MERGE] = "application/merge-patch+json",
        [API_PATCH_STRATEGIC] = "application/strategic-merge-patch+json",
        [API_PATCH_APPLY] = "application/apply-patch+yaml", /* JSON is YAML */
    };

    TRY(begin_request(request, "PATCH", target, err));
    append_query(&request->path, "fieldManager", SLICE("totrain"));
    if (kind == API_PATCH_APPLY)
        append_query(&request->path, "force", SLICE("true"));
    TRY(end(request, err));
    return set_body(request, patch, types[kind], err);
}

enum status api_pod_log(struct http_request *request, const struct api_target *pod,
                        const struct api_log *log, struct error *err)
{
    struct api_target target = *pod;

    target.subresource = "log";
    TRY(begin_request(request, "GET", &target, err));
    if (log->container)
        append_query(&request->path, "container", slice_of(log->container));
    if (log->follows)
        append_query(&request->path, "follow", SLICE("true"));
    if (log->is_previous)
        append_query(&request->path, "previous", SLICE("true"));
    if (log->has_times)
        append_query(&request->path, "timestamps", SLICE("true"));
    if (log->since.size > 0)
        append_query(&request->path, "sinceTime", log->since);
    if (log->tail_lines >= 0)
        append_number(&request->path, "tailLines", log->tail_lines);
    if (log->bytes_max > 0)
        append_number(&request->path, "limitBytes", log->bytes_max);
    if (log->follows)
        request->timeout_ms = 0; /* no timeout: the call lasts as long as the pod runs */
    return end(request, err);
}
