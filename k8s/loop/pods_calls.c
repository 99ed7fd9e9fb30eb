#include "k8s/loop/pods_calls.h"

#include <stdio.h>
#include <string.h>

#include "base/process/log.h"
#include "k8s/client/api_answer.h"
#include "k8s/controller/pod_pool_next.h"
#include "k8s/loop/pods_parts.h"

static cJSON *manifest_of(const struct pods *pods, const struct pod_pool_step *step)
{
    struct slice avoided[POD_POOL_AVOIDED_MAX];
    const struct pod_pool *pool = &pods->pools[step->role];
    const struct kube_member member = {
        .role = step->role,
        .index = step->index,
        .incarnation = step->incarnation,
        .memory = step->memory,
        .is_surplus = step->role == KUBE_WORKER && step->index >= pods->least,
        .is_full = step->is_full,
        .master = pods->master,
        .controller = slice_of(pods->controller),
        .avoided = avoided,
        .avoided_count = pod_pool_avoided(pool, loop_now_ms(), avoided),
    };

    return manifest_member(pods->job, &member, slice_of(pods->owner));
}

static struct api_target target_of(const struct pods *pods, const struct pod_pool_step *step,
                                   char name[128])
{
    struct api_target target = pods->all;

    manifest_member_name(pods->job, step->role, step->index, step->incarnation, name);
    target.name = slice_of(name);
    return target;
}

static enum status fill_create(const struct pods *pods, const struct pod_pool_step *step,
                               struct http_request *request, struct error *err)
{
    cJSON *object = manifest_of(pods, step);
    enum status status = api_create(request, &pods->all, object, err);

    cJSON_Delete(object);
    return status;
}

static enum status fill_delete(const struct pods *pods, const struct pod_pool_step *step,
                               struct http_request *request, struct error *err)
{
    char name[128];
    struct api_target target = target_of(pods, step, name);
    struct api_deletion deletion = {.uid = slice_of(step->uid), .grace_s = step->grace_s};

    return api_delete(request, &target, &deletion, err);
}

/* Not another Job that has the name by now. */
static enum status fill_patch(const struct pods *pods, struct http_request *request,
                              struct error *err)
{
    struct api_target target = {
        .kind = API_JOBS, .kube_namespace = pods->job->kube_namespace, .name = pods->job->name};
    cJSON *patch = cJSON_CreateObject();
    enum status status;

    json_add_string(json_add_object(patch, "metadata"), "uid", slice_of(pods->owner));
    json_add_integer(json_add_object(patch, "spec"), "backoffLimit", 0);
    status = api_patch(request, &target, API_PATCH_MERGE, patch, err);
    cJSON_Delete(patch);
    return status;
}

static enum status fill(const struct pods_call *call, struct http_request *request,
                        struct error *err)
{
    const struct pods *pods = call->pods;
    struct api_target target;
    char name[128];

    if (call->is_of_job)
        return fill_patch(pods, request, err);
    if (call->adopts) {
        target = target_of(pods, &call->step, name);
        return api_get(request, &target, err);
    }
    return call->step.action == POD_POOL_CREATE ? fill_create(pods, &call->step, request, err)
                                                : fill_delete(pods, &call->step, request, err);
}

static void settle(struct pods_call *call, enum status status, int64_t retry_after_ms,
                   const struct error *err)
{
    struct pods *pods = call->pods;
    const int64_t now_ms = loop_now_ms();

    http_request_deinit(&call->request);
    call->is_taken = false;
    if (call->is_of_job) {
        bool is_passing = status == STATUS_CONNECTION || retry_after_ms >= 0;

        pods->must_patch = is_passing;
        pods->patch_at = now_ms + POD_POOL_RETRY_MS_MIN + (retry_after_ms > 0 ? retry_after_ms : 0);
        if (status != STATUS_OK)
            log_warning("the Job is not told to end: %s", err->message);
    } else {
        if (status != STATUS_OK && status != STATUS_NOT_FOUND)
            log_warning("%s %u: %s", kube_role_title(call->step.role), call->step.index,
                        err->message);
        pod_pool_on_answer(&pods->pools[call->step.role], now_ms, &call->step, status,
                           retry_after_ms, err);
    }
    pods_wake(pods);
}

/* The name is taken: by a Pod of ours, which an answer that never came has made, or not. */
static enum status judge_existing(const struct pods_call *call, const struct api_answer *answer,
                                  struct error *err)
{
    cJSON *wanted = manifest_of(call->pods, &call->step);
    enum status status = api_may_adopt(answer->object, wanted, err);

    cJSON_Delete(wanted);
    return status;
}

static void start_pods_call(struct pods_call *call);

static void on_answer(void *context, enum status status, struct api_answer *answer,
                      const struct error *why)
{
    struct pods_call *call = context;
    struct error err = *why;

    if (status == STATUS_OK && call->adopts)
        status = judge_existing(call, answer, &err);
    else if (status == STATUS_NOT_FOUND && call->adopts)
        status = STATUS_BUSY; /* it has gone since */
    api_answer_deinit(answer);
    if (status == STATUS_BUSY && !call->adopts && call->step.action == POD_POOL_CREATE &&
        strcmp(answer->reason, "AlreadyExists") == 0) {
        call->adopts = true;
        http_request_deinit(&call->request);
        start_pods_call(call);
        return;
    }
    if (answer->code == 429 && answer->retry_after_ms < 0)
        answer->retry_after_ms = 0; /* busy, and not the name's fault */
    settle(call, status, answer->retry_after_ms, &err);
}

static void start_pods_call(struct pods_call *call)
{
    static const char *const what[] = {
        [POD_POOL_NOTHING] = "change a job",
        [POD_POOL_CREATE] = "create a pod",
        [POD_POOL_DELETE] = "delete a pod",
    };
    enum status status;
    struct error err;

    error_clear(&err);
    http_request_init(&call->request);
    call->collect = (struct http_collect){.http = client_http(call->pods->client),
                                          .request = &call->request,
                                          .what = what[call->step.action],
                                          .bytes_max = API_BODY_BYTES_MAX,
                                          .context = call,
                                          .on_answer = on_answer};
    status = fill(call, &call->request, &err);
    if (status == STATUS_OK)
        status = http_collect_start(&call->collect, &err);
    if (status != STATUS_OK)
        settle(call, status, -1, &err);
}

static struct pods_call *find_free(struct pods *pods)
{
    for (size_t i = 0; i < PODS_CALLS_MAX; i++)
        if (!pods->calls[i].is_taken)
            return &pods->calls[i];
    return NULL; /* pod_pool.h bounds them */
}

void pods_call_step(struct pods *pods, const struct pod_pool_step *step)
{
    struct pods_call *call = find_free(pods);

    *call = (struct pods_call){.pods = pods, .is_taken = true, .step = *step};
    if (step->action == POD_POOL_CREATE)
        log_info("asks for %s %u.%u with %lld MiB", kube_role_title(step->role), step->index,
                 step->incarnation, (long long)(step->memory >> 20));
    start_pods_call(call);
}

void pods_call_patch(struct pods *pods)
{
    struct pods_call *call = find_free(pods);

    pods->must_patch = true;
    pods->patch_at = INT64_MAX; /* under way */
    *call = (struct pods_call){.pods = pods, .is_taken = true, .is_of_job = true};
    start_pods_call(call);
}

void pods_calls_cancel(struct pods *pods)
{
    for (size_t i = 0; i < PODS_CALLS_MAX; i++) {
        struct pods_call *call = &pods->calls[i];

        if (!call->is_taken)
            continue;
        http_collect_cancel(&call->collect);
        http_request_deinit(&call->request);
        call->is_taken = false;
    }
}
