#include "cli/session/runs.h"

#include <stdio.h>
#include <string.h>

#include "cli/session/cluster_jobs.h"
#include "k8s/client/access_find.h"
#include "k8s/client/api_answer.h"
#include "k8s/client/http.h"
#include "k8s/client/http_exchange.h"
#include "k8s/objects/manifest.h"

#define TRIES 6

struct runs {
    struct session *session; /* NULL: the database is not needed */
    const struct cluster_options *options;
    struct arena arena;
    struct kube_access access;
    struct http *http;
};

static enum status ask(const struct runs *runs, struct http_request *request, const char *what,
                       struct api_answer *answer, enum status built, struct error *err)
{
    enum status status = built == STATUS_OK
                             ? http_exchange_again(runs->http, request, what, TRIES, answer, err)
                             : built;

    http_request_deinit(request);
    return status;
}

/* ----- is its submitter still there? ----- */

static const cJSON *owner_of(const cJSON *job)
{
    const cJSON *owner;

    cJSON_ArrayForEach(
        owner, API_MEMBER(job, "metadata", "ownerReferences")) if (slice_is(API_TEXT(owner, "kind"),
                                                                            "Pod")) return owner;
    return NULL;
}

static bool is_alive(const cJSON *pod, struct slice uid)
{
    const struct slice phase = API_TEXT(pod, "status", "phase");

    return slice_equal(API_TEXT(pod, "metadata", "uid"), uid) && !slice_is(phase, "Failed") &&
           !API_MEMBER(pod, "metadata", "deletionTimestamp");
}

/* One that has succeeded counts as alive: it has published the model, and the Job is kept to be
 * looked at. */
static enum status is_left(const struct runs *runs, const cJSON *job, bool *is_left,
                           struct error *err)
{
    const cJSON *owner = owner_of(job);
    const struct api_target target = {.kind = API_PODS,
                                      .kube_namespace = runs->access.kube_namespace,
                                      .name = API_TEXT(owner, "name")};
    struct api_answer answer = {.retry_after_ms = -1};
    struct http_request request;
    enum status status;

    *is_left = false;
    if (!owner)
        return STATUS_OK;
    http_request_init(&request);
    status = api_get(&request, &target, err);
    status = ask(runs, &request, "look at the pod of another run", &answer, status, err);
    if (status == STATUS_NOT_FOUND)
        *is_left = true, status = STATUS_OK;
    else if (status == STATUS_OK)
        *is_left = !is_alive(answer.object, API_TEXT(owner, "uid"));
    api_answer_deinit(&answer);
    return status;
}

/* ----- then it goes ----- */

static enum status delete_job(const struct runs *runs, const cJSON *job, struct error *err)
{
    const struct api_target target = {.kind = API_JOBS,
                                      .kube_namespace = runs->access.kube_namespace,
                                      .name = API_TEXT(job, "metadata", "name")};
    const struct api_deletion deletion = {
        .propagation = "Background", .uid = API_TEXT(job, "metadata", "uid"), .grace_s = -1};
    struct api_answer answer = {.retry_after_ms = -1};
    struct http_request request;
    enum status status;

    http_request_init(&request);
    status = api_delete(&request, &target, &deletion, err);
    status = ask(runs, &request, "delete the Job of another run", &answer, status, err);
    api_answer_deinit(&answer);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static bool has_ended(const cJSON *job)
{
    const cJSON *condition;

    cJSON_ArrayForEach(
        condition,
        API_MEMBER(
            job, "status",
            "conditions")) if (slice_is(API_TEXT(condition, "status"), "True") &&
                               (slice_is(API_TEXT(condition, "type"), "Complete") ||
                                slice_is(API_TEXT(condition, "type"), "Failed"))) return true;
    return false;
}

/* A Job that has ended and has no tables is a failure that was seen to: it is kept for its log. */
static enum status remove_one(const struct runs *runs, const cJSON *job, struct error *err)
{
    const struct slice name = API_TEXT(job, "metadata", "name");
    bool has_tables = false;
    int64_t number = 0;
    char line[256];

    if (slice_to_integer(API_TEXT(job, "metadata", "annotations", MANIFEST_TABLES), &number))
        TRY(cluster_tables_are_there(runs->session, number, &has_tables, err));
    if (has_ended(job) && !has_tables)
        return STATUS_OK;
    TRY(delete_job(runs, job, err));
    if (has_tables)
        cluster_tables_drop(runs->session, number);
    snprintf(line, sizeof line, "the run before was cut short: its Job %.*s is deleted",
             SLICE_FORMAT(name));
    progress_notice(&runs->session->progress, line);
    return STATUS_OK;
}

static enum status remove_all(const struct runs *runs, const cJSON *jobs, struct error *err)
{
    const cJSON *job;
    bool goes;

    cJSON_ArrayForEach(job, API_MEMBER(jobs, "items"))
    {
        TRY(is_left(runs, job, &goes, err));
        if (goes)
            TRY(remove_one(runs, job, err));
    }
    return STATUS_OK;
}

/* A page: there are as many as died since the last run. */
static enum status look(const struct runs *runs, struct error *err)
{
    const struct api_target target = {.kind = API_JOBS,
                                      .kube_namespace = runs->access.kube_namespace};
    struct api_answer answer = {.retry_after_ms = -1};
    struct http_request request;
    struct text selector;
    enum status status;

    text_init(&selector, 256);
    text_printf(&selector, MANIFEST_SCHEDULE "=%s", runs->options->run_of);
    http_request_init(&request);
    status = api_list(&request, &target, text_slice(&selector), SLICE(""), err);
    status = ask(runs, &request, "list the Jobs of other runs", &answer, status, err);
    if (status == STATUS_OK)
        status = remove_all(runs, answer.object, err);
    api_answer_deinit(&answer);
    text_deinit(&selector);
    return status;
}

/* ----- the run that this process is ----- */

static struct slice next_part(struct slice *rest)
{
    const char *slash = rest->size > 0 ? memchr(rest->data, '/', rest->size) : NULL;
    const struct slice part = {rest->data, slash ? (size_t)(slash - rest->data) : rest->size};
    const size_t skip = part.size + (slash ? 1 : 0);

    *rest = (struct slice){rest->data + skip, rest->size - skip};
    return part;
}

enum status run_owner_read(const struct cluster_options *options, struct run_owner *owner,
                           struct error *err)
{
    struct slice rest = slice_of(options->owner ? options->owner : "");

    *owner = (struct run_owner){.pod = next_part(&rest)};
    owner->uid = next_part(&rest);
    owner->job = rest;
    if (owner->pod.size > 0 && owner->uid.size > 0 && owner->job.size > 0 && options->run_of)
        return STATUS_OK;
    return fail(err, STATUS_INVALID, "--run-of NAME and --owner POD/UID/JOB go together"),
           error_hint(err, "The pod of a schedule says them: totrain submit --schedule.");
}

static enum status open_runs(struct runs *runs, struct error *err)
{
    const struct access_choice choice = {.kubeconfig = runs->options->kubeconfig,
                                         .context = runs->options->context,
                                         .kube_namespace = runs->options->kube_namespace,
                                         .allows_exec = true,
                                         .allows_insecure = runs->options->allows_insecure};

    arena_init(&runs->arena, ARENA_MAXIMUM);
    TRY(access_find(&choice, &runs->arena, &runs->access, err));
    return http_new(&runs->access, NULL, &runs->http, err);
}

static void close_runs(struct runs *runs)
{
    http_free(runs->http);
    arena_deinit(&runs->arena);
}

enum status runs_clean(struct session *session, const struct cluster_options *options,
                       struct error *err)
{
    struct runs runs = {.session = session, .options = options};
    enum status status = open_runs(&runs, err);

    if (status == STATUS_OK)
        status = look(&runs, err);
    close_runs(&runs);
    return status;
}

static enum status patch_own_job(const struct runs *runs, struct error *err)
{
    struct api_answer answer = {.retry_after_ms = -1};
    struct http_request request;
    struct api_target target;
    struct run_owner owner;
    enum status status;
    cJSON *patch;

    TRY(run_owner_read(runs->options, &owner, err));
    target = (struct api_target){
        .kind = API_JOBS, .kube_namespace = runs->access.kube_namespace, .name = owner.job};
    patch = cJSON_CreateObject();
    json_add_integer(json_add_object(patch, "spec"), "backoffLimit", 0);
    http_request_init(&request);
    status = api_patch(&request, &target, API_PATCH_MERGE, patch, err);
    cJSON_Delete(patch);
    status = ask(runs, &request, "say that another try is in vain", &answer, status, err);
    api_answer_deinit(&answer);
    return status;
}

void runs_give_up(const struct cluster_options *options)
{
    struct runs runs = {.options = options};
    struct error err;
    enum status status;

    error_clear(&err);
    status = open_runs(&runs, &err);
    if (status == STATUS_OK)
        status = patch_own_job(&runs, &err);
    if (status != STATUS_OK)
        fprintf(stderr, "WARNING:  it may be tried again: %s\n", err.message);
    close_runs(&runs);
}
