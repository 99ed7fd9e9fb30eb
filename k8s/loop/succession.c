#include "k8s/loop/succession.h"

#include <stdlib.h>
#include <string.h>

#include "base/process/log.h"
#include "k8s/client/api_answer.h"
#include "k8s/loop/exchange.h"
#include "k8s/objects/successor.h"

#define ASK_MS         1000
#define NAME_MAX_BYTES 254

struct succession {
    struct loop *loop;
    struct client *client;
    const struct kube_job *kube;
    enum succession_kind kind;
    char job_uid[POD_UID_MAX], pod_uid[POD_UID_MAX];
    char pod_name[NAME_MAX_BYTES], avoided[POD_NODE_MAX];
    struct succession_reader reader;
    struct exchange *exchange;
    cJSON *job; /* the Job as the API server has it */
};

static void drop(struct succession *succession)
{
    cJSON_Delete(succession->job);
    free(succession);
}

static void end(struct succession *succession, enum status status, const struct error *err)
{
    const struct succession_reader reader = succession->reader;

    drop(succession);
    reader.on_end(reader.context, status, err);
}

/* Takes the request. What cannot be sent ends the succession. */
static void ask(struct succession *succession, struct http_request *request, enum status status,
                const char *what,
                void (*on_answer)(void *, enum status, struct api_answer *, const struct error *),
                struct error *err)
{
    const struct exchange_reader reader = {succession, on_answer};

    request->timeout_ms = ASK_MS;
    if (status == STATUS_OK)
        status = exchange_start(succession->loop, succession->client, request, what, 1, &reader,
                                &succession->exchange, err);
    else
        http_request_deinit(request);
    if (status != STATUS_OK)
        end(succession, status, err);
}

static struct api_target pod_target(const struct succession *succession, const char *name)
{
    return (struct api_target){.kind = API_PODS,
                               .kube_namespace = succession->kube->kube_namespace,
                               .name = slice_of(name)};
}

/* ----- the next pod ----- */

/* Another process made it: that is as good. */
static void on_created(void *context, enum status status, struct api_answer *answer,
                       const struct error *err)
{
    struct succession *succession = context;

    succession->exchange = NULL;
    if (status == STATUS_NOT_FOUND)
        status = STATUS_FAILED; /* the namespace: not the Job, which was there */
    if (status == STATUS_BUSY && strcmp(answer->reason, "AlreadyExists") == 0)
        status = STATUS_OK;
    else if (status == STATUS_OK)
        log_info("the next master's pod is %.*s",
                 SLICE_FORMAT(API_TEXT(answer->object, "metadata", "name")));
    end(succession, status, err);
}

static void create(struct succession *succession)
{
    const struct api_target target = pod_target(succession, "");
    cJSON *pod = successor_pod(succession->job, slice_of(succession->pod_uid),
                               slice_of(succession->avoided));
    struct http_request request;
    struct error err;
    enum status status;

    error_clear(&err);
    http_request_init(&request);
    status = api_create(&request, &target, pod, &err);
    cJSON_Delete(pod);
    ask(succession, &request, status, "create the next master's pod", on_created, &err);
}

/* ----- the pod before ----- */

/* One that is gone already was deleted without waiting for it: the follower of the job, or its
 * controller, has its uid. */
static void on_pod(void *context, enum status status, struct api_answer *answer,
                   const struct error *err)
{
    struct succession *succession = context;

    succession->exchange = NULL;
    if (status == STATUS_NOT_FOUND)
        status = STATUS_OK;
    if (status != STATUS_OK || !API_MEMBER(answer->object, "metadata", "deletionTimestamp")) {
        end(succession, status, err);
        return;
    }
    slice_copy(API_TEXT(answer->object, "metadata", "uid"), succession->pod_uid,
               sizeof succession->pod_uid);
    create(succession);
}

/* Looks at the own pod: while it stays where it is, the Job's controller makes no other. */
static void look_at_pod(struct succession *succession)
{
    const struct api_target target = pod_target(succession, succession->pod_name);
    struct http_request request;
    struct error err;

    error_clear(&err);
    http_request_init(&request);
    ask(succession, &request, api_get(&request, &target, &err), "look at the master's pod", on_pod,
        &err);
}

static void on_deleted(void *context, enum status status, struct api_answer *answer,
                       const struct error *err)
{
    struct succession *succession = context;

    succession->exchange = NULL;
    if (status == STATUS_OK || status == STATUS_NOT_FOUND ||
        (status == STATUS_BUSY && strcmp(answer->reason, "Conflict") == 0)) /* another uid */
        create(succession);
    else
        end(succession, status, err);
}

/* Its node does not confirm that it has ended, and the name of the job's Service would go on
 * leading there. */
static void delete_pod(struct succession *succession)
{
    const struct api_target target = pod_target(succession, succession->pod_name);
    const struct api_deletion deletion = {.uid = slice_of(succession->pod_uid), .grace_s = 0};
    struct http_request request;
    struct error err;

    error_clear(&err);
    http_request_init(&request);
    ask(succession, &request, api_delete(&request, &target, &deletion, &err),
        "delete the master's pod", on_deleted, &err);
}

/* ----- the Job ----- */

static void on_job(void *context, enum status status, struct api_answer *answer,
                   const struct error *why)
{
    struct succession *succession = context;
    enum job_future future;
    struct error err = *why;

    succession->exchange = NULL;
    if (status != STATUS_OK) {
        end(succession, status, &err);
        return;
    }
    future = job_future(answer->object, slice_of(succession->job_uid));
    if (future == JOB_IS_GONE) {
        status = fail(&err, STATUS_NOT_FOUND, "the Job is deleted");
        end(succession, status, &err);
    } else if (future == JOB_RESTS) {
        end(succession, STATUS_OK, &err);
    } else {
        succession->job = answer->object;
        answer->object = NULL;
        if (succession->kind == SUCCESSION_IF_LEAVING)
            look_at_pod(succession);
        else if (succession->kind == SUCCESSION_UNREACHABLE)
            delete_pod(succession);
        else
            create(succession);
    }
}

static enum status ask_for_job(struct succession *succession, struct error *err)
{
    const struct api_target target = {.kind = API_JOBS,
                                      .kube_namespace = succession->kube->kube_namespace,
                                      .name = succession->kube->name};
    const struct exchange_reader reader = {succession, on_job};
    struct http_request request;
    enum status status;

    http_request_init(&request);
    status = api_get(&request, &target, err);
    request.timeout_ms = ASK_MS;
    if (status == STATUS_OK)
        return exchange_start(succession->loop, succession->client, &request, "look for the Job", 1,
                              &reader, &succession->exchange, err);
    http_request_deinit(&request);
    return status;
}

enum status succession_start(struct loop *loop, struct client *client, const struct kube_job *job,
                             const struct succession_order *order,
                             const struct succession_reader *reader, struct succession **out,
                             struct error *err)
{
    struct succession *succession = calloc(1, sizeof *succession);
    enum status status;

    if (!succession)
        return fail_no_memory(err);
    *succession = (struct succession){
        .loop = loop, .client = client, .kube = job, .kind = order->kind, .reader = *reader};
    slice_copy(order->job, succession->job_uid, sizeof succession->job_uid);
    slice_copy(order->pod_name, succession->pod_name, sizeof succession->pod_name);
    slice_copy(order->pod_uid, succession->pod_uid, sizeof succession->pod_uid);
    slice_copy(order->avoided, succession->avoided, sizeof succession->avoided);
    status = ask_for_job(succession, err);
    if (status == STATUS_OK)
        *out = succession;
    else
        drop(succession);
    return status;
}

void succession_cancel(struct succession *succession)
{
    if (!succession)
        return;
    exchange_cancel(succession->exchange);
    drop(succession);
}
