#include "k8s/submit/adoption.h"

#include <stdlib.h>

#include "k8s/client/api_answer.h"
#include "k8s/objects/manifest.h"
#include "k8s/submit/creation.h"

struct adoption {
    struct loop *loop;
    struct client *client;
    const struct kube_job *job;
    struct slice submission;
    struct adoption_reader reader;
    struct exchange *exchange;
};

static struct api_target target_of(const struct adoption *adoption)
{
    return (struct api_target){.kind = API_JOBS,
                               .kube_namespace = adoption->job->kube_namespace,
                               .name = adoption->job->name};
}

static enum status send(struct adoption *adoption, struct http_request *request, const char *what,
                        void (*on_answer)(void *context, enum status status,
                                          struct api_answer *answer, const struct error *err),
                        struct error *err)
{
    struct exchange_reader reader = {adoption, on_answer};

    return exchange_start(adoption->loop, adoption->client, request, what, CREATION_TRIES, &reader,
                          &adoption->exchange, err);
}

static void on_deleted(void *context, enum status status, struct api_answer *answer,
                       const struct error *err)
{
    struct adoption *adoption = context;
    (void)answer;

    adoption->exchange = NULL;
    if (status == STATUS_OK || status == STATUS_NOT_FOUND)
        adoption->reader.on_absent(adoption->reader.context, true);
    else
        adoption->reader.on_failed(adoption->reader.context, err);
}

static enum status delete_job(struct adoption *adoption, struct slice uid, struct error *err)
{
    struct api_target target = target_of(adoption);
    struct api_deletion deletion = {.propagation = "Background", .uid = uid, .grace_s = -1};
    struct http_request request;
    enum status status;

    http_request_init(&request);
    status = api_delete(&request, &target, &deletion, err);
    if (status == STATUS_OK)
        return send(adoption, &request, "delete a Job that was not released", on_deleted, err);
    http_request_deinit(&request);
    return status;
}

static bool is_ours(const struct adoption *adoption, const cJSON *job)
{
    return slice_equal(API_TEXT(job, "metadata", "labels", SUBMISSION_LABEL), adoption->submission);
}

/* One that rests, or waits in a queue, is suspended, too: its release has named its controller. */
static bool is_released(const cJSON *job)
{
    return !cJSON_IsTrue(API_MEMBER(job, "spec", "suspend")) ||
           API_TEXT(job, "spec", "template", "metadata", "annotations", MANIFEST_CONTROLLER).size >
               0;
}

static void judge(struct adoption *adoption, const cJSON *job)
{
    const struct slice uid = API_TEXT(job, "metadata", "uid");
    struct error err;

    error_clear(&err);
    if (!is_ours(adoption, job)) /* creating ours will report whose it is */
        adoption->reader.on_absent(adoption->reader.context, false);
    else if (is_released(job))
        adoption->reader.on_found(adoption->reader.context, uid);
    else if (delete_job(adoption, uid, &err) != STATUS_OK)
        adoption->reader.on_failed(adoption->reader.context, &err);
}

static void on_answer(void *context, enum status status, struct api_answer *answer,
                      const struct error *err)
{
    struct adoption *adoption = context;

    adoption->exchange = NULL;
    if (status == STATUS_OK)
        judge(adoption, answer->object);
    else if (status == STATUS_NOT_FOUND)
        adoption->reader.on_absent(adoption->reader.context, false);
    else
        adoption->reader.on_failed(adoption->reader.context, err);
}

static enum status look(struct adoption *adoption, struct error *err)
{
    struct api_target target = target_of(adoption);
    struct http_request request;
    enum status status;

    http_request_init(&request);
    status = api_get(&request, &target, err);
    if (status == STATUS_OK)
        return send(adoption, &request, "look for the Job", on_answer, err);
    http_request_deinit(&request);
    return status;
}

enum status adoption_open(struct loop *loop, struct client *client, const struct kube_job *job,
                          struct slice submission, const struct adoption_reader *reader,
                          struct adoption **out, struct error *err)
{
    struct adoption *adoption = calloc(1, sizeof *adoption);
    enum status status;

    if (!adoption)
        return fail_no_memory(err);
    *adoption = (struct adoption){loop, client, job, submission, *reader, NULL};
    status = look(adoption, err);
    if (status != STATUS_OK) {
        adoption_close(adoption);
        return status;
    }
    *out = adoption;
    return STATUS_OK;
}

void adoption_close(struct adoption *adoption)
{
    if (!adoption)
        return;
    exchange_cancel(adoption->exchange);
    free(adoption);
}
