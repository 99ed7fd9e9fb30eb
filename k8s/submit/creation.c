#include "k8s/submit/creation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/process/log.h"
#include "k8s/client/api_answer.h"
#include "k8s/job/cluster_folder.h"
#include "k8s/objects/limits.h"
#include "runtime/net/authority.h"

/* The Secrets of workers and of servers come last, then the Service and the release. */
enum step {
    STEP_LIMIT_RANGES,
    STEP_QUOTAS,
    STEP_JOB,
    STEP_JOB_SECRET,
    STEP_MASTER_SECRET,
    STEP_MEMBERS_SECRETS
};

struct creation {
    struct loop *loop;
    struct client *client;
    const struct kube_job *job; /* `fitted` */
    struct kube_job fitted;
    struct limits limits;
    struct creation_reader reader;
    struct authority *authority;
    struct exchange *exchange;
    uint32_t step;
    bool is_looking; /* the present object is asked for, after AlreadyExists */
    cJSON *wanted;   /* object of this step */
    char uid[CLUSTER_UID_BYTES_MAX];
    char controller[CLUSTER_UID_BYTES_MAX]; /* uid of the Secret NAME-job */
    struct slice submission;                /* by which this creation knows its own Job */
};

static uint32_t servers_step(const struct creation *creation)
{
    return STEP_MEMBERS_SECRETS + manifest_member_secrets(creation->job, KUBE_WORKER);
}

static uint32_t service_step(const struct creation *creation)
{
    return servers_step(creation) + manifest_member_secrets(creation->job, KUBE_SERVER);
}

/* ----- what each step makes ----- */

static enum status issue(const struct creation *creation, enum identity_role role, uint32_t index,
                         struct credentials *credentials, struct error *err)
{
    struct identity who = {.job = (uint64_t)creation->job->job, .role = role, .index = index};

    credentials_init(credentials);
    return authority_issue(creation->authority, &who, time(NULL), credentials, err);
}

static struct manifest_credentials borrow(const struct credentials *credentials)
{
    return (struct manifest_credentials){text_slice(&credentials->authority),
                                         text_slice(&credentials->certificate),
                                         text_slice(&credentials->key)};
}

static enum status make_master_secret(struct creation *creation, struct error *err)
{
    struct credentials credentials;
    enum status status = issue(creation, IDENTITY_MASTER, 0, &credentials, err);

    if (status == STATUS_OK) {
        struct manifest_credentials borrowed = borrow(&credentials);

        creation->wanted =
            manifest_master_secret(creation->job, &borrowed, slice_of(creation->uid));
    }
    credentials_deinit(&credentials);
    return status;
}

static enum status make_members_secret(struct creation *creation, enum kube_role role,
                                       uint32_t part, struct error *err)
{
    const enum identity_role identity = role == KUBE_SERVER ? IDENTITY_SERVER : IDENTITY_WORKER;
    const uint32_t end = manifest_members_most(creation->job, role);
    struct credentials issued[MANIFEST_WORKERS_PER_SECRET];
    struct manifest_credentials borrowed[MANIFEST_WORKERS_PER_SECRET];
    const uint32_t first = part * MANIFEST_WORKERS_PER_SECRET;
    uint32_t count = 0;
    enum status status = STATUS_OK;

    while (status == STATUS_OK && count < MANIFEST_WORKERS_PER_SECRET && first + count < end) {
        status = issue(creation, identity, first + count, &issued[count], err);
        borrowed[count] = borrow(&issued[count]);
        count++;
    }
    if (status == STATUS_OK)
        creation->wanted =
            manifest_members_secret(creation->job, role, part, borrowed, slice_of(creation->uid));
    for (uint32_t i = 0; i < count; i++)
        credentials_deinit(&issued[i]);
    return status;
}

static cJSON *make_job(const struct creation *creation)
{
    cJSON *job = manifest_job(creation->job);
    cJSON *metadata = cJSON_GetObjectItemCaseSensitive(job, "metadata");

    json_add_string(cJSON_GetObjectItemCaseSensitive(metadata, "labels"), SUBMISSION_LABEL,
                    creation->submission);
    return job;
}

static enum status make(struct creation *creation, enum api_kind *kind, struct error *err)
{
    *kind = API_SECRETS;
    if (creation->step == STEP_JOB) {
        *kind = API_JOBS;
        creation->wanted = make_job(creation);
        return STATUS_OK;
    }
    if (creation->step == STEP_JOB_SECRET) {
        creation->wanted = manifest_job_secret(creation->job, slice_of(creation->uid));
        return STATUS_OK;
    }
    if (creation->step == STEP_MASTER_SECRET)
        return make_master_secret(creation, err);
    if (creation->step < servers_step(creation))
        return make_members_secret(creation, KUBE_WORKER, creation->step - STEP_MEMBERS_SECRETS,
                                   err);
    if (creation->step < service_step(creation))
        return make_members_secret(creation, KUBE_SERVER, creation->step - servers_step(creation),
                                   err);
    *kind = API_SERVICES;
    creation->wanted = manifest_service(creation->job, slice_of(creation->uid));
    return STATUS_OK;
}

/* ----- one step after the other ----- */

static const char *const verbs[] = {"read the namespace's LimitRanges",
                                    "read its quotas",
                                    "create the Job",
                                    "create the job's Secret",
                                    "create the master's Secret",
                                    "create the workers' Secret"};

static const char *verb_of(const struct creation *creation)
{
    if (creation->step < STEP_MEMBERS_SECRETS)
        return verbs[creation->step];
    if (creation->step < servers_step(creation))
        return verbs[STEP_MEMBERS_SECRETS];
    if (creation->step < service_step(creation))
        return "create the parameter servers' Secret";
    return creation->step == service_step(creation) ? "create the master's Service"
                                                    : "release the Job";
}

static void on_answer(void *context, enum status status, struct api_answer *answer,
                      const struct error *err);

static enum status send(struct creation *creation, struct http_request *request, struct error *err)
{
    struct exchange_reader reader = {creation, on_answer};

    return exchange_start(creation->loop, creation->client, request, verb_of(creation),
                          CREATION_TRIES, &reader, &creation->exchange, err);
}

static enum status send_release(struct creation *creation, struct error *err)
{
    struct api_target target = {.kind = API_JOBS,
                                .kube_namespace = creation->job->kube_namespace,
                                .name = creation->job->name};
    cJSON *patch = manifest_release(creation->job, slice_of(creation->controller));
    struct http_request request;
    enum status status;

    http_request_init(&request);
    status = api_patch(&request, &target, API_PATCH_MERGE, patch, err);
    cJSON_Delete(patch);
    if (status == STATUS_OK)
        return send(creation, &request, err);
    http_request_deinit(&request);
    return status;
}

static enum status send_create(struct creation *creation, struct error *err)
{
    struct api_target target = {.kube_namespace = creation->job->kube_namespace};
    struct http_request request;
    enum status status;

    cJSON_Delete(creation->wanted);
    creation->wanted = NULL;
    TRY(make(creation, &target.kind, err));
    http_request_init(&request);
    status = api_create(&request, &target, creation->wanted, err);
    if (status == STATUS_OK)
        return send(creation, &request, err);
    http_request_deinit(&request);
    return status;
}

static enum status send_look(struct creation *creation, struct error *err)
{
    struct api_target target = {.kind = creation->step == STEP_JOB                 ? API_JOBS
                                        : creation->step == service_step(creation) ? API_SERVICES
                                                                                   : API_SECRETS,
                                .kube_namespace = creation->job->kube_namespace,
                                .name = API_TEXT(creation->wanted, "metadata", "name")};
    struct http_request request;
    enum status status;

    creation->is_looking = true;
    http_request_init(&request);
    status = api_get(&request, &target, err);
    if (status == STATUS_OK)
        return send(creation, &request, err);
    http_request_deinit(&request);
    return status;
}

static enum status send_list(struct creation *creation, struct error *err)
{
    const struct api_target target = {.kind = creation->step == STEP_QUOTAS ? API_RESOURCE_QUOTAS
                                                                            : API_LIMIT_RANGES,
                                      .kube_namespace = creation->job->kube_namespace};
    struct http_request request;
    enum status status;

    http_request_init(&request);
    status = api_list(&request, &target, SLICE(""), SLICE(""), err);
    if (status == STATUS_OK)
        return send(creation, &request, err);
    http_request_deinit(&request);
    return status;
}

static enum status begin_step(struct creation *creation, struct error *err)
{
    creation->is_looking = false;
    if (creation->step < STEP_JOB)
        return send_list(creation, err);
    return creation->step > service_step(creation) ? send_release(creation, err)
                                                   : send_create(creation, err);
}

static enum status copy_uid(const cJSON *object, char uid[CLUSTER_UID_BYTES_MAX], struct error *err)
{
    const struct slice found = API_TEXT(object, "metadata", "uid");

    if (found.size == 0 || found.size >= CLUSTER_UID_BYTES_MAX)
        return fail(err, STATUS_PROTOCOL, "the API server made a %.*s without a uid",
                    SLICE_FORMAT(API_TEXT(object, "kind")));
    slice_copy(found, uid, CLUSTER_UID_BYTES_MAX);
    return STATUS_OK;
}

static enum status take_uid(struct creation *creation, const cJSON *object, struct error *err)
{
    TRY(copy_uid(object, creation->uid, err));
    creation->reader.on_job(creation->reader.context, slice_of(creation->uid));
    return STATUS_OK;
}

/* Judges the object that has the name: is it ours? */
static enum status judge(const struct creation *creation, const cJSON *object, struct error *err)
{
    if (api_may_adopt(object, creation->wanted, err) == STATUS_OK)
        return STATUS_OK;
    fail(err, STATUS_BUSY, "the name %.*s is taken in the namespace %.*s",
         SLICE_FORMAT(API_TEXT(creation->wanted, "metadata", "name")),
         SLICE_FORMAT(creation->job->kube_namespace));
    return error_hint(err, "Another job has it. A different name is found by trying again, or "
                           "given by --name.");
}

static enum status next_step(struct creation *creation, const cJSON *object, struct error *err)
{
    if (creation->step < STEP_JOB)
        limits_read(&creation->limits, object);
    if (creation->step == STEP_QUOTAS)
        TRY(limits_fit(&creation->limits, &creation->fitted, err));
    if (creation->is_looking)
        TRY(judge(creation, object, err));
    if (creation->step == STEP_JOB)
        TRY(take_uid(creation, object, err));
    if (creation->step == STEP_JOB_SECRET)
        TRY(copy_uid(object, creation->controller, err));
    if (creation->step > service_step(creation))
        return STATUS_OK;
    creation->step++;
    return begin_step(creation, err);
}

static void explain(struct error *err)
{
    if (err->status == STATUS_PERMISSION && !err->hint[0])
        error_hint(err, "totrain k8s check asks for each right that is needed; totrain k8s rbac "
                        "prints the objects that grant them.");
}

static void on_answer(void *context, enum status status, struct api_answer *answer,
                      const struct error *why)
{
    struct creation *creation = context;
    const bool is_released = creation->step > service_step(creation);
    struct error err = *why;

    creation->exchange = NULL;
    if (creation->step < STEP_JOB && (status == STATUS_PERMISSION || status == STATUS_NOT_FOUND)) {
        log_info("the job is not fitted to the namespace: %s", err.message);
        error_clear(&err);
        status = next_step(creation, NULL, &err);
    } else if (status == STATUS_OK)
        status = next_step(creation, answer->object, &err);
    else if (status == STATUS_BUSY && !creation->is_looking &&
             slice_is(slice_of(answer->reason), "AlreadyExists"))
        status = send_look(creation, &err);
    if (status != STATUS_OK) {
        explain(&err);
        creation->reader.on_failed(creation->reader.context, &err);
    } else if (is_released) {
        creation->reader.on_created(creation->reader.context);
    }
}

enum status creation_open(struct loop *loop, struct client *client, const struct kube_job *job,
                          struct slice submission, const struct creation_reader *reader,
                          struct creation **out, struct error *err)
{
    struct creation *creation = calloc(1, sizeof *creation);
    enum status status;

    if (!creation)
        return fail_no_memory(err);
    creation->loop = loop;
    creation->client = client;
    creation->fitted = *job;
    creation->job = &creation->fitted;
    creation->submission = submission;
    creation->reader = *reader;
    status = authority_new((uint64_t)job->job, time(NULL), &creation->authority, err);
    if (status == STATUS_OK)
        status = begin_step(creation, err);
    if (status != STATUS_OK) {
        creation_close(creation);
        return status;
    }
    *out = creation;
    return STATUS_OK;
}

void creation_close(struct creation *creation)
{
    if (!creation)
        return;
    exchange_cancel(creation->exchange);
    authority_free(creation->authority);
    cJSON_Delete(creation->wanted);
    free(creation);
}
