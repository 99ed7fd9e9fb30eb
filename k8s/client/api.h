/*
 * api.h - requests to the Kubernetes API, and what its answers mean.
 *
 *     struct api_target --api_get, api_list, ...--> struct http_request --http--> bytes
 *     bytes --api_answer_read--> object, or an error with the server's reason
 *
 * Pure: builds and reads texts. The reference is
 * https://kubernetes.io/docs/reference/using-api/api-concepts/.
 */
#pragma once

#include "base/json.h"

#define API_PATH_BYTES_MAX   ((size_t)16 << 10)
#define API_BODY_BYTES_MAX   ((size_t)4 << 20)
#define API_ANSWER_BYTES_MAX ((size_t)32 << 20) /* a page of a list */
#define API_LIST_LIMIT       500                /* objects in a page */
#define API_TIMEOUT_MS       30000
#define API_WATCH_S          290 /* the server ends a watch then, and we begin the next */
#define API_WATCH_GRACE_MS   15000

enum api_kind {
    API_NAMESPACES,
    API_PODS,
    API_SECRETS,
    API_SERVICES,
    API_EVENTS,
    API_SERVICE_ACCOUNTS,
    API_RESOURCE_QUOTAS,
    API_LIMIT_RANGES,
    API_NODES,
    API_JOBS,
    API_CRON_JOBS,
    API_ROLES,
    API_ROLE_BINDINGS,
    API_CLUSTER_ROLES,
    API_CLUSTER_ROLE_BINDINGS,
    API_LEASES,
    API_PRIORITY_CLASSES,
    API_DEPLOYMENTS,
    API_ACCESS_REVIEWS, /* SelfSubjectAccessReview */
    API_KIND_COUNT
};

/* "pods", "Pod", "" for the core group, "v1"; static. */
struct api_names {
    const char *plural, *kind, *group, *version;
    bool is_in_namespace;
};
const struct api_names *api_names(enum api_kind kind);

struct api_target {
    enum api_kind kind;
    struct slice kube_namespace; /* empty: a list or a watch of all namespaces */
    struct slice name;           /* empty: all of them */
    const char *subresource;     /* NULL: the object itself */
    struct slice fields;         /* field selector of a list and a watch; empty: none */
    bool is_dry_run;             /* a creation that the server checks, and does not store */
};

struct http_request {
    const char *method;
    struct text path;         /* with its query */
    struct text body;         /* JSON; empty: none */
    const char *content_type; /* type of the body */
    int64_t timeout_ms;       /* for all of it */
};

void http_request_init(struct http_request *request);
void http_request_deinit(struct http_request *request);

/* They fill a request after http_request_init, or one that is used again.
 * NO_MEMORY; LIMIT where path or body are too long. */
enum status api_get(struct http_request *request, const struct api_target *target,
                    struct error *err);

/* A page; `token` from the answer before, empty for the first. */
enum status api_list(struct http_request *request, const struct api_target *target,
                     struct slice selector, struct slice token, struct error *err);

/* The answer is a stream of lines, one event each, with bookmarks. */
enum status api_watch(struct http_request *request, const struct api_target *target,
                      struct slice selector, struct slice resource_version, struct error *err);

enum status api_create(struct http_request *request, const struct api_target *target,
                       const cJSON *object, struct error *err);

/* The object as a whole. Where its metadata has a resourceVersion: BUSY ("Conflict") unless nobody
 * has changed it since. */
enum status api_replace(struct http_request *request, const struct api_target *target,
                        const cJSON *object, struct error *err);

struct api_deletion {
    const char *propagation;       /* "Background", "Foreground", "Orphan"; NULL: as usual */
    struct slice uid;              /* only if it is still this object */
    struct slice resource_version; /* only if it was not changed since */
    int64_t grace_s;               /* -1: as in the object */
};
enum status api_delete(struct http_request *request, const struct api_target *target,
                       const struct api_deletion *deletion, struct error *err);

enum api_patch_kind { API_PATCH_MERGE, API_PATCH_STRATEGIC, API_PATCH_APPLY };
/* Apply: as the field manager "totrain", taking over what others hold. */
enum status api_patch(struct http_request *request, const struct api_target *target,
                      enum api_patch_kind kind, const cJSON *patch, struct error *err);

struct api_log {
    const char *container; /* NULL: the only one */
    bool follows;
    bool is_previous;   /* log of the container's run before */
    bool has_times;     /* each line begins with its time and a blank */
    struct slice since; /* RFC 3339, whole seconds; empty: from the beginning */
    int64_t tail_lines; /* -1: all */
    int64_t bytes_max;  /* 0: no limit on the server's side */
};
enum status api_pod_log(struct http_request *request, const struct api_target *pod,
                        const struct api_log *log, struct error *err);
